# SPDX-License-Identifier: Apache-2.0
# pvpython compare_pictures.py A.png B.png: prints the mean difference of the pixels in percent, and of how many colours A is.
import sys

from paraview.vtk.util.numpy_support import vtk_to_numpy
from vtkmodules.vtkIOImage import vtkPNGReader


def pixels(name):
    reader = vtkPNGReader()
    reader.SetFileName(name)
    reader.Update()
    return vtk_to_numpy(reader.GetOutput().GetPointData().GetScalars())[:, :3].astype(float)


a, b = pixels(sys.argv[1]), pixels(sys.argv[2])
if a.shape != b.shape:
    sys.exit('pictures of different size')
print('%.4f %d' % (100 * abs(a - b).mean() / 255, len(set(map(tuple, a)))))
