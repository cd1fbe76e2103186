// SPDX-License-Identifier: Apache-2.0
// `implementation legacy;`: ParaView's Catalyst by its legacy interface, the one that Debian's ParaView has.
#include "io/insitu/insitu.h"

// Python's header comes first, as it asks for
#include <vtkPython.h>

#include <string>
#include <vector>
#include <vtkCPDataDescription.h>
#include <vtkCPInputDataDescription.h>
#include <vtkCPProcessor.h>
#include <vtkCPPythonPipeline.h>
#include <vtkCellData.h>
#include <vtkDataSetAttributes.h>
#include <vtkDoubleArray.h>
#include <vtkFieldData.h>
#include <vtkFloatArray.h>
#include <vtkImageData.h>
#include <vtkMPI.h>
#include <vtkNew.h>
#include <vtkPartitionedDataSet.h>
#include <vtkPythonInterpreter.h>
#include <vtkRectilinearGrid.h>
#include <vtkSmartPointer.h>
#include <vtkTypeInt32Array.h>
#include <vtkTypeInt64Array.h>
#include <vtkUnsignedCharArray.h>

namespace {

struct State {
  vtkSmartPointer<vtkCPProcessor> processor;
  vtkSmartPointer<vtkCPDataDescription> description;
  std::vector<vtkSmartPointer<vtkCPPipeline>> pipelines;
  std::vector<int> channels;
  std::string error;
  MPI_Comm comm = MPI_COMM_NULL;
};
State* state = nullptr;

char const* channel_name(int bit) { return bit == insitu_grid ? "grid" : "preview"; }

/// The text as a string of Python.
std::string quoted(char const* text) {
  std::string result = "'";
  for (; *text; ++text) {
    if (*text == '\'' || *text == '\\') result += '\\';
    result += *text;
  }
  return result + "'";
}

/// What Python says about the syntax of a script, "" where it has nothing to say.
std::string syntax_error(char const* file) {
  vtkPythonScopeGilEnsurer const gil;
  std::string const code =
      std::string("import ast\nwith open(") + quoted(file) + ") as f: ast.parse(f.read(), " + quoted(file) + ")\n";
  PyObject* names = PyDict_New();
  PyDict_SetItemString(names, "__builtins__", PyEval_GetBuiltins());
  PyObject* done = PyRun_String(code.c_str(), Py_file_input, names, names);
  std::string text;
  if (!done) {
    PyObject *type, *value, *trace;
    PyErr_Fetch(&type, &value, &trace);
    PyErr_NormalizeException(&type, &value, &trace);
    PyObject* said = value ? PyObject_Str(value) : nullptr;
    char const* utf8 = said ? PyUnicode_AsUTF8(said) : nullptr;
    text = utf8 ? utf8 : "it is no Python";
    PyErr_Clear();
    Py_XDECREF(said);
    Py_XDECREF(type);
    Py_XDECREF(value);
    Py_XDECREF(trace);
  }
  Py_XDECREF(done);
  Py_DECREF(names);
  return text;
}

/// catalyst.get_args() gives nothing with the legacy interface; here it gives what the case says.
void hand_over_arguments(int n, insitu_script const* scripts) {
  std::string code = "from paraview.catalyst import v2_internals as _tessera_v2\n_tessera_args = {";
  for (int k = 0; k < n; ++k) {
    code += quoted(scripts[k].file) + ": [";
    for (auto const* a = scripts[k].args; *a; ++a) code += quoted(*a) + ", ";
    code += "], ";
  }
  code += "}\n_tessera_v2._get_active_arguments = lambda: _tessera_args.get(_tessera_v2._get_script_filename(), [])\n";
  vtkPythonInterpreter::RunSimpleString(code.c_str());
}

/// ParaView gives a script its data when it imports it and again when it executes it first, and then warns that no time has
/// passed. Other warnings of these sources are passed on.
void calm_producers() {
  vtkPythonInterpreter::RunSimpleString(R"(import sys
from paraview.catalyst import v2_internals as _tessera_v2
from paraview.vtk.util.misc import calldata_type as _tessera_calldata

@_tessera_calldata('string0')
def _tessera_warned(source, event, text):
    if 'New time step is not after last time step' not in text:
        sys.stderr.write(text)

def _tessera_initialized(module, initialize=_tessera_v2._validate_and_initialize):
    from paraview.simple import GetSources
    initialize(module)
    for proxy in GetSources().values():
        source = proxy.GetClientSideObject()
        if source and source.IsA('vtkPVTrivialProducer') and not source.HasObserver('WarningEvent'):
            source.AddObserver('WarningEvent', _tessera_warned)

_tessera_v2._validate_and_initialize = _tessera_initialized
)");
}

char const* init(MPI_Comm comm, int n, insitu_script const* scripts, int* wrong) {
  state = new State;
  *wrong = -1;
  MPI_Comm_dup(comm, &state->comm);
  vtkMPICommunicatorOpaqueComm opaque(&state->comm);
  state->processor = vtkSmartPointer<vtkCPProcessor>::New();
  // no working directory: ParaView would change to it, and relative paths would break
  if (!state->processor->Initialize(opaque, nullptr)) return "ParaView's Catalyst does not start";
  vtkPythonInterpreter::Initialize();
  for (int k = 0; k < n; ++k) {
    state->error = syntax_error(scripts[k].file);
    *wrong = k;
    if (!state->error.empty()) return state->error.c_str();
  }
  hand_over_arguments(n, scripts);
  calm_producers();
  for (int k = 0; k < n; ++k) {
    *wrong = k;
    auto pipeline = vtkCPPythonPipeline::CreateAndInitializePipeline(scripts[k].file, 2);
    if (!pipeline) return "ParaView does not take it as a pipeline";
    state->pipelines.emplace_back(pipeline);
    state->channels.push_back(scripts[k].channels);
  }
  return nullptr;
}

int due(std::int64_t step, double time, int last, unsigned char const* wanted) {
  // the processor holds those pipelines only that the engine wants now
  state->processor->RemoveAllPipelines();
  int channels = 0;
  for (std::size_t k = 0; k < state->pipelines.size(); ++k)
    if (wanted[k]) {
      state->processor->AddPipeline(state->pipelines[k]);
      channels |= state->channels[k];
    }
  if (channels == 0) return 0;
  state->description = vtkSmartPointer<vtkCPDataDescription>::New();
  for (int bit : {insitu_grid, insitu_preview})
    if (channels & bit) state->description->AddInput(channel_name(bit));
  state->description->SetTimeData(time, step);
  state->description->SetForceOutput(last != 0);
  return state->processor->RequestDataDescription(state->description) ? channels : 0;
}

template <class Array, class T>
vtkSmartPointer<vtkDataArray> borrowed(void const* data, vtkIdType cells) {
  auto array = vtkSmartPointer<Array>::New();
  // ParaView's arrays know no const; 1: the memory stays the engine's
  array->SetArray(static_cast<T*>(const_cast<void*>(data)), cells, 1);
  return array;
}

vtkSmartPointer<vtkDataArray> borrowed(int type, void const* data, vtkIdType cells) {
  switch (type) {
  case insitu_uint8:
    return borrowed<vtkUnsignedCharArray, unsigned char>(data, cells);
  case insitu_int32:
    return borrowed<vtkTypeInt32Array, vtkTypeInt32Array::ValueType>(data, cells);
  case insitu_int64:
    return borrowed<vtkTypeInt64Array, vtkTypeInt64Array::ValueType>(data, cells);
  case insitu_float32:
    return borrowed<vtkFloatArray, float>(data, cells);
  default:
    return borrowed<vtkDoubleArray, double>(data, cells);
  }
}

bool same_cells(insitu_array const& a, insitu_array const& b) {
  for (int d = 0; d < 3; ++d)
    if (a.lo[d] != b.lo[d] || a.n[d] != b.n[d]) return false;
  return true;
}

std::size_t size_of(int type) {
  return type == insitu_uint8 ? 1 : type == insitu_int32 || type == insitu_float32 ? 4 : 8;
}

/// The values of `from` on the stored cells of `to`: fields of another element size have other margins.
vtkSmartPointer<vtkDataArray> copied(int type, insitu_array const& from, insitu_array const& to, vtkIdType cells) {
  auto array = vtk::TakeSmartPointer(borrowed(type, nullptr, 0)->NewInstance());
  array->SetNumberOfTuples(cells);
  auto const size = size_of(type);
  auto* out = static_cast<unsigned char*>(array->GetVoidPointer(0));
  std::fill(out, out + static_cast<std::size_t>(cells) * size, 0);
  auto const* in = static_cast<unsigned char const*>(from.data);
  std::int64_t const lo = std::max(from.lo[0], to.lo[0]), hi = std::min(from.lo[0] + from.n[0], to.lo[0] + to.n[0]);
  for (std::int64_t k = 0; k < to.n[2]; ++k)
    for (std::int64_t j = 0; j < to.n[1]; ++j) {
      std::int64_t const fk = to.lo[2] + k - from.lo[2], fj = to.lo[1] + j - from.lo[1];
      if (fk < 0 || fk >= from.n[2] || fj < 0 || fj >= from.n[1]) continue;
      auto const* row = in + static_cast<std::size_t>((fk * from.n[1] + fj) * from.n[0] + lo - from.lo[0]) * size;
      std::copy(row, row + static_cast<std::size_t>(hi - lo) * size,
                out + static_cast<std::size_t>((k * to.n[1] + j) * to.n[0] + lo - to.lo[0]) * size);
    }
  return array;
}

/// Coordinates of the faces of stored cells; beyond the grid, where nothing is seen, cells go on as the outermost ones.
vtkSmartPointer<vtkDoubleArray> coordinates(insitu_channel const& c, int axis, std::int64_t lo, std::int64_t n) {
  auto result = vtkSmartPointer<vtkDoubleArray>::New();
  double const* x = c.faces[axis];
  std::int64_t const last = c.cells[axis];
  for (std::int64_t i = lo; i <= lo + n; ++i) {
    if (i < 0)
      result->InsertNextValue(x[0] + static_cast<double>(i) * (x[1] - x[0]));
    else if (i > last)
      result->InsertNextValue(x[last] + static_cast<double>(i - last) * (x[last] - x[last - 1]));
    else
      result->InsertNextValue(x[i]);
  }
  return result;
}

vtkSmartPointer<vtkDataSet> cells_of(insitu_channel const& c, insitu_array const& stored) {
  bool const flat = c.cells[2] == 1;
  int extent[6];
  for (int d = 0; d < 3; ++d) {
    extent[2 * d] = static_cast<int>(stored.lo[d]);
    extent[2 * d + 1] = static_cast<int>(stored.lo[d] + stored.n[d]);
  }
  if (flat) extent[4] = extent[5] = 0;
  if (c.uniform) {
    auto image = vtkSmartPointer<vtkImageData>::New();
    double spacing[3];
    for (int d = 0; d < 3; ++d) spacing[d] = (c.faces[d][c.cells[d]] - c.faces[d][0]) / static_cast<double>(c.cells[d]);
    image->SetOrigin(c.faces[0][0], c.faces[1][0], c.faces[2][0]);
    image->SetSpacing(spacing);
    image->SetExtent(extent);
    return image;
  }
  auto grid = vtkSmartPointer<vtkRectilinearGrid>::New();
  grid->SetExtent(extent);
  grid->SetXCoordinates(coordinates(c, 0, stored.lo[0], stored.n[0]));
  grid->SetYCoordinates(coordinates(c, 1, stored.lo[1], stored.n[1]));
  grid->SetZCoordinates(flat ? coordinates(c, 2, 0, 0) : coordinates(c, 2, stored.lo[2], stored.n[2]));
  return grid;
}

/// The channel as one dataset whose partitions are the tiles by their global numbers; those of other ranks stay null.
vtkSmartPointer<vtkPartitionedDataSet> dataset(insitu_channel const& c) {
  auto result = vtkSmartPointer<vtkPartitionedDataSet>::New();
  result->SetNumberOfPartitions(static_cast<unsigned>(c.tiles_global));
  // the field with most bytes a cell is not copied, nor are those stored alike
  int widest = 0;
  for (int f = 1; f < c.fields_count; ++f)
    if (size_of(c.fields[f].type) > size_of(c.fields[widest].type)) widest = f;
  for (int t = 0; t < c.tiles_count; ++t) {
    insitu_tile const& tile = c.tiles[t];
    insitu_array const& stored = tile.arrays[widest];
    auto const cells = cells_of(c, stored);
    vtkIdType const n = cells->GetNumberOfCells();
    for (int f = 0; f < c.fields_count; ++f) {
      insitu_array const& a = tile.arrays[f];
      auto const values =
          same_cells(a, stored) ? borrowed(c.fields[f].type, a.data, n) : copied(c.fields[f].type, a, stored, n);
      values->SetName(c.fields[f].name);
      // the contour filter wants an active array
      if (f == 0)
        cells->GetCellData()->SetScalars(values);
      else
        cells->GetCellData()->AddArray(values);
    }
    if (stored.ghost) {
      auto const ghost = borrowed<vtkUnsignedCharArray, unsigned char>(stored.ghost, n);
      ghost->SetName(vtkDataSetAttributes::GhostArrayName());
      cells->GetCellData()->AddArray(ghost);
    }
    result->SetPartition(static_cast<unsigned>(tile.id), cells);
  }
  return result;
}

int execute(insitu_frame const* frame, insitu_value* values, int most) {
  for (int k = 0; k < frame->channels_count; ++k) {
    insitu_channel const& c = frame->channels[k];
    auto* input = state->description->GetInputDescriptionByName(channel_name(c.bit));
    input->SetGrid(dataset(c));
    int whole[6] = {0, static_cast<int>(c.cells[0]),
                    0, static_cast<int>(c.cells[1]),
                    0, c.cells[2] == 1 ? 0 : static_cast<int>(c.cells[2])};
    input->SetWholeExtent(whole);
  }
  // numbers on their way back from a script to the engine
  vtkNew<vtkFieldData> user;
  state->description->SetUserData(user);
  if (!state->processor->CoProcess(state->description)) return -1;
  int n = 0;
  for (int a = 0; a < user->GetNumberOfArrays() && n < most; ++a) {
    auto* array = user->GetArray(a);
    if (!array || !array->GetName() || array->GetNumberOfTuples() < 1) continue;
    std::string const name = std::string(array->GetName()).substr(0, sizeof values[n].name - 1);
    std::copy(name.c_str(), name.c_str() + name.size() + 1, values[n].name);
    values[n++].value = array->GetTuple1(0);
  }
  return n;
}

void finalize() {
  if (!state) return;
  state->description = nullptr;
  state->processor->RemoveAllPipelines();
  for (auto const& pipeline : state->pipelines) state->processor->AddPipeline(pipeline);
  state->processor->Finalize();
  state->pipelines.clear();
  state->processor = nullptr;
  MPI_Comm_free(&state->comm);
  delete state;
  state = nullptr;
}

constexpr insitu_module module{insitu_version, 1, init, due, execute, finalize};

}  // namespace

extern "C" insitu_module const* insitu_get_module(void) { return &module; }
