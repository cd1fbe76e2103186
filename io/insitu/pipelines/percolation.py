# script-version: 2.0
# SPDX-License-Identifier: Apache-2.0
"""Clusters and backbone (PNG): empty cells, clusters, the spanning cluster and its backbone in four colours.

At the end of a run: a script of system/inSituDict with `channels (preview);`. Afterwards:
    pvbatch percolation.py CASE/results/CASE.xdmf [ARGUMENT ...]
Arguments, NAME=VALUE:
    occupied=occupied spanning=spanning backbone=backbone (fields; those of a direction are spanning_x and so on)   pixels=800
    slice=no|yes (a cut through the middle: for grids of several layers, and afterwards)
Results: CASE/postProcessing/inSitu/backbone_NNNNNN.png
"""
import os
import sys

from paraview import catalyst
from paraview.simple import *
from paraview.vtk import vtkCommunicator, vtkDoubleArray

posthoc = __name__ == '__main__'
given = dict(a.split('=', 1) for a in (sys.argv[2:] if posthoc else catalyst.get_args()))
if posthoc:
    series = os.path.abspath(sys.argv[1])
    case = given.get('case', os.path.dirname(os.path.dirname(series)))
    preview = XDMFReader(registrationName='preview', FileNames=[series])
else:
    case = given['case']
    preview = TrivialProducer(registrationName='preview')

# 0 empty, 1 in a cluster, 2 in a spanning one, 3 in its backbone; where cells are averaged, their mean
fields = [given.get(name, name) for name in ('occupied', 'spanning', 'backbone')]
cut = preview
if given.get('slice', 'yes' if posthoc else 'no') == 'yes':
    cut = Slice(registrationName='cut', Input=preview)
    cut.SliceType.Normal = [0, 0, 1]
kind = Calculator(registrationName='kind', Input=cut)
kind.AttributeType = 'Cell Data'
kind.ResultArrayName = 'kind'
kind.Function = ' + '.join(fields)

pixels = int(given.get('pixels', 800))
view = CreateView('RenderView')
view.ViewSize = [pixels, pixels]
view.InteractionMode = '2D'
view.OrientationAxesVisibility = 0
view.UseColorPaletteForBackground = 0
view.Background = [1, 1, 1]
view.CameraParallelProjection = 1
picture = CreateExtractor('PNG', view, registrationName='picture')
picture.Writer.FileName = 'backbone_{timestep:06d}{camera}.png'
picture.Writer.ImageResolution = [pixels, pixels]

options = catalyst.Options()
options.GlobalTrigger = 'TimeStep'
options.ExtractsOutputDirectory = os.path.join(case, 'postProcessing', 'inSitu')


def largest(values):
    """The largest of each value over the ranks."""
    from paraview import servermanager
    mine, all_ = vtkDoubleArray(), vtkDoubleArray()
    for v in values:
        mine.InsertNextValue(v)
        all_.InsertNextValue(v)
    servermanager.vtkProcessModule.GetProcessModule().GetGlobalController().AllReduce(mine, all_, vtkCommunicator.MAX_OP)
    return [all_.GetValue(n) for n in range(len(values))]


def setup(time):
    """Colours and camera; the preview lies on one rank, all must see the same."""
    preview.UpdatePipeline(time)
    b = preview.GetDataInformation().GetBounds()
    empty = b[0] > b[1]
    v = largest([-1e300] * 6 if empty else [-b[0], b[1], -b[2], b[3], -b[4], b[5]])
    bounds = [-v[0], v[1], -v[2], v[3], -v[4], v[5]]
    middle = [0.5 * (bounds[2 * d] + bounds[2 * d + 1]) for d in range(3)]
    if cut is not preview:
        cut.SliceType.Origin = middle
    shown = Show(kind, view)
    shown.Representation = 'Surface'
    shown.Ambient, shown.Diffuse = 1, 0  # colours as they are, without light
    ColorBy(shown, ('CELLS', 'kind'))
    colours = GetColorTransferFunction('kind')
    colours.RGBPoints = [0, 1, 1, 1, 1, 0.75, 0.75, 0.75, 2, 0.34, 0.71, 0.91, 3, 0.84, 0.37, 0]
    colours.ColorSpace = 'RGB'
    colours.Annotations = ['0', 'empty', '1', 'cluster', '2', 'spanning', '3', 'backbone']
    shown.SetScalarBarVisibility(view, True)
    bar = GetScalarBar(colours, view)
    bar.Title, bar.ComponentTitle = '', ''
    bar.DrawAnnotations, bar.DrawTickMarks, bar.DrawTickLabels, bar.AddRangeLabels = 1, 0, 0, 0
    bar.Orientation = 'Horizontal'
    bar.WindowLocation = 'Lower Center'
    bar.TitleColor = bar.LabelColor = [0, 0, 0]
    size = max(bounds[1] - bounds[0], bounds[3] - bounds[2])
    low = middle[1] - 0.08 * size  # room for the colours' names below
    view.CameraPosition = [middle[0], low, bounds[5] + 3 * size]
    view.CameraFocalPoint = [middle[0], low, middle[2]]
    view.CameraParallelScale = 0.60 * size


def catalyst_execute(info):
    setup(info.time)


if posthoc:
    from paraview.simple import SaveExtractsUsingCatalystOptions
    setup((list(preview.TimestepValues) or [0])[-1])
    SaveExtractsUsingCatalystOptions(options)
