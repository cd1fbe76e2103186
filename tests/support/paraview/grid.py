# script-version: 2.0
# SPDX-License-Identifier: Apache-2.0
# Draws the channel `grid`, as a user may who wants every cell; and gives back what filters make of it.
import os

from paraview import catalyst
from paraview.simple import *
from paraview.vtk import vtkCommunicator, vtkDoubleArray

given = dict(a.split('=', 1) for a in catalyst.get_args())
lo, hi = float(given['lo']), float(given['hi'])
grid = TrivialProducer(registrationName='grid')
sums = IntegrateVariables(registrationName='sums', Input=grid)
points = CellDatatoPointData(registrationName='points', Input=grid)
lines = Contour(registrationName='lines', Input=points)
lines.ContourBy = ['POINTS', 'T']
lines.Isosurfaces = [lo + 0.5 * (hi - lo)]
length = IntegrateVariables(registrationName='length', Input=lines)

view = CreateView('RenderView')
view.ViewSize = [300, 300]
view.InteractionMode = '2D'
view.OrientationAxesVisibility = 0
view.CameraPosition = [1, 0.8, 10]
view.CameraFocalPoint = [1, 0.8, 0]
view.CameraParallelProjection = 1
view.CameraParallelScale = 1.1
shown = Show(grid, view)
shown.Representation = 'Surface'
ColorBy(shown, ('CELLS', 'T'))
colours = GetColorTransferFunction('T')
colours.ApplyPreset('Viridis (matplotlib)', True)
colours.RescaleTransferFunction(lo, hi)
picture = CreateExtractor('PNG', view, registrationName='picture')
picture.Writer.FileName = 'grid_{timestep:06d}{camera}.png'
picture.Writer.ImageResolution = [300, 300]

options = catalyst.Options()
options.GlobalTrigger = 'TimeStep'
options.ExtractsOutputDirectory = os.path.join(given['case'], 'postProcessing', 'inSitu')


def root_value(name, array):
    value = vtkDoubleArray()
    value.SetName(name)
    value.InsertNextValue(array.GetTuple1(0) if array and array.GetNumberOfTuples() else 0)
    return value


def catalyst_execute(info):
    user = info.dataDescription.GetUserData()
    for name, source, array in (('area', sums, 'Area'), ('integral', sums, 'T'), ('length', length, 'Length')):
        source.UpdatePipeline(info.time)
        data = source.GetClientSideObject().GetOutputDataObject(0)
        user.AddArray(root_value(name, data.GetCellData().GetArray(array)))
