# script-version: 2.0
# SPDX-License-Identifier: Apache-2.0
"""Temperature with isotherms (PNG), a profile along a line (CSV) and the maximum over time (CSV).

During a run: a script of system/inSituDict with `channels (grid preview);`. Afterwards:
    pvbatch temperature.py CASE/results/CASE.xdmf [ARGUMENT ...]
Arguments, NAME=VALUE:
    field=T   lo=293 hi=350 (colours; without them: the range when first seen)   isotherms=9
    slice=no|yes (the picture is a cut through the middle: for grids of several layers, and afterwards)
    from=x,y,z to=x,y,z (the profile; without them: from bottom to top through the middle)   pixels=800
Results: CASE/postProcessing/inSitu/T_NNNNNN.png, profile_NNNNNN.csv, maximum.csv
"""
import os
import sys

from paraview import catalyst
from paraview.simple import *
from paraview.vtk.util.numpy_support import vtk_to_numpy
from paraview.vtk import vtkCommunicator, vtkDoubleArray

posthoc = __name__ == '__main__'
given = dict(a.split('=', 1) for a in (sys.argv[2:] if posthoc else catalyst.get_args()))
field = given.get('field', 'T')
if posthoc:
    series = os.path.abspath(sys.argv[1])
    case = given.get('case', os.path.dirname(os.path.dirname(series)))
    grid = preview = XDMFReader(registrationName='grid', FileNames=[series])
else:
    case = given['case']
    grid = TrivialProducer(registrationName='grid')
    preview = TrivialProducer(registrationName='preview')
folder = os.path.join(case, 'postProcessing', 'inSitu')


def controller():
    from paraview import servermanager
    return servermanager.vtkProcessModule.GetProcessModule().GetGlobalController()


def largest(values):
    """The largest of each value over the ranks."""
    mine, all_ = vtkDoubleArray(), vtkDoubleArray()
    for v in values:
        mine.InsertNextValue(v)
        all_.InsertNextValue(v)
    controller().AllReduce(mine, all_, vtkCommunicator.MAX_OP)
    return [all_.GetValue(n) for n in range(len(values))]


def pieces(source):
    """The datasets of this rank."""
    data = source.GetClientSideObject().GetOutputDataObject(0)
    if not data.IsA('vtkPartitionedDataSet'):
        return [data]
    found = [data.GetPartition(n) for n in range(data.GetNumberOfPartitions())]
    return [piece for piece in found if piece]


def extremes(source):
    """Bounds, and range of the field in cells that are no ghosts, over all ranks."""
    nothing = -1e300
    values = [nothing] * 8
    for piece in pieces(source):
        b = piece.GetBounds()
        x = vtk_to_numpy(piece.GetCellData().GetArray(field))
        ghosts = piece.GetCellData().GetArray('vtkGhostType')
        if ghosts:
            x = x[vtk_to_numpy(ghosts) == 0]
        mine = [-b[0], b[1], -b[2], b[3], -b[4], b[5], -x.min(), x.max()]
        values = [max(p, q) for p, q in zip(values, mine)]
    v = largest(values)
    return [-v[0], v[1], -v[2], v[3], -v[4], v[5]], (-v[6], v[7])


# the picture
cut = preview
if given.get('slice', 'yes' if posthoc else 'no') == 'yes':
    cut = Slice(registrationName='cut', Input=preview)
    cut.SliceType.Normal = [0, 0, 1]
points = CellDatatoPointData(registrationName='points', Input=cut)
isotherms = Contour(registrationName='isotherms', Input=points)
isotherms.ContourBy = ['POINTS', field]
pixels = int(given.get('pixels', 800))
view = CreateView('RenderView')
view.ViewSize = [pixels, pixels]
view.InteractionMode = '2D'
view.OrientationAxesVisibility = 0
view.UseColorPaletteForBackground = 0
view.Background = [1, 1, 1]
view.CameraParallelProjection = 1
picture = CreateExtractor('PNG', view, registrationName='picture')
picture.Writer.FileName = field + '_{timestep:06d}{camera}.png'
picture.Writer.ImageResolution = [pixels, pixels]

# the profile
profile = PlotOverLine(registrationName='profile', Input=preview)
table = CreateExtractor('CSV', profile, registrationName='table')
table.Writer.FileName = 'profile_{timestep:06d}.csv'

options = catalyst.Options()
options.GlobalTrigger = 'TimeStep'
options.ExtractsOutputDirectory = folder
ready = False


def setup(bounds, seen):
    """What needs the data: camera, colours, levels, line. The same on every rank."""
    global ready
    ready = True
    lo, hi = float(given.get('lo', seen[0])), float(given.get('hi', seen[1]))
    if hi <= lo:
        hi = lo + 1
    middle = [0.5 * (bounds[2 * d] + bounds[2 * d + 1]) for d in range(3)]
    if cut is not preview:
        cut.SliceType.Origin = middle
    shown = Show(cut, view)
    shown.Representation = 'Surface'
    shown.Ambient, shown.Diffuse = 1, 0  # colours as they are, without light
    ColorBy(shown, ('CELLS', field))
    colours = GetColorTransferFunction(field)
    colours.ApplyPreset('Viridis (matplotlib)', True)
    colours.RescaleTransferFunction(lo, hi)
    shown.SetScalarBarVisibility(view, True)
    bar = GetScalarBar(colours, view)
    bar.RangeLabelFormat = '%.4g'
    bar.Orientation = 'Horizontal'
    bar.WindowLocation = 'Lower Center'
    bar.TitleColor = bar.LabelColor = [0, 0, 0]
    n = int(given.get('isotherms', 9))
    isotherms.Isosurfaces = [lo + (hi - lo) * (k + 1) / (n + 1) for k in range(n)]
    lines = Show(isotherms, view)
    lines.ColorArrayName = ['POINTS', '']
    lines.DiffuseColor = lines.AmbientColor = [1, 1, 1]
    lines.LineWidth = 2
    size = max(bounds[1] - bounds[0], bounds[3] - bounds[2])
    lines.Position = [0, 0, 1e-3 * size]  # above the surface
    low = middle[1] - 0.08 * size  # room for the colours' names below
    view.CameraPosition = [middle[0], low, bounds[5] + 3 * size]
    view.CameraFocalPoint = [middle[0], low, middle[2]]
    view.CameraParallelScale = 0.63 * size
    place = lambda name, default: [float(x) for x in given[name].split(',')] if name in given else default
    profile.Point1 = place('from', [middle[0], bounds[2], middle[2]])
    profile.Point2 = place('to', [middle[0], bounds[3], middle[2]])


def note_maximum(time, highest):
    if controller().GetLocalProcessId() != 0:
        return
    os.makedirs(folder, exist_ok=True)
    name = os.path.join(folder, 'maximum.csv')
    fresh = note_maximum.fresh
    note_maximum.fresh = False
    with open(name, 'w' if fresh else 'a') as out:
        if fresh:
            out.write('time,maximum\n')
        out.write('%.17g,%.17g\n' % (time, highest))


note_maximum.fresh = True


def look(time):
    grid.UpdatePipeline(time)
    preview.UpdatePipeline(time)
    bounds, seen = extremes(preview)
    if not ready:
        setup(bounds, seen)
    highest = extremes(grid)[1][1]
    note_maximum(time, highest)
    return highest


def catalyst_execute(info):
    back = vtkDoubleArray()
    back.SetName('maximum')
    back.InsertNextValue(look(info.time))
    info.dataDescription.GetUserData().AddArray(back)


if posthoc:
    from paraview.simple import SaveExtractsUsingCatalystOptions
    for t in grid.TimestepValues or [0]:
        look(t)
    SaveExtractsUsingCatalystOptions(options)
