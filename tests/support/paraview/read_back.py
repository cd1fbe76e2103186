# SPDX-License-Identifier: Apache-2.0
# pvpython read_back.py xdmf SERIES.xdmf FIELD | foam CASE.foam FIELD: prints time, cells, min, max, area (volume) and integral of
# every time that ParaView finds.
import os
import sys

from paraview.simple import *

kind, name, field = sys.argv[1], os.path.abspath(sys.argv[2]), sys.argv[3]
if kind == 'xdmf2':
    source = XDMFReader(FileNames=[name])
elif kind == 'xdmf3':
    source = Xdmf3ReaderS(FileName=[name])
else:
    source = OpenFOAMReader(FileName=name)
    source.CaseType = 'Reconstructed Case'
    source.UpdatePipelineInformation()
    source.CellArrays = [field]
    source.MeshRegions = ['internalMesh']
source.UpdatePipelineInformation()
times = source.TimestepValues
try:
    times = list(times)
except TypeError:
    times = [times]
for t in times:
    source.UpdatePipeline(t)
    info = source.GetDataInformation()
    lo, hi = source.CellData[field].GetRange()
    total = IntegrateVariables(Input=source)
    total.UpdatePipeline(t)
    data = servermanager.Fetch(total).GetCellData()
    size = data.GetArray('Volume') or data.GetArray('Area')
    print('%.10g %d %.15g %.15g %.10g %.10g' % (t, info.GetNumberOfCells(), lo, hi, size.GetTuple1(0), data.GetArray(field).GetTuple1(0)))
