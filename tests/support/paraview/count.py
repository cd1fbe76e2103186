# script-version: 2.0
# SPDX-License-Identifier: Apache-2.0
# Writes down how often it was run.
import os

from paraview import catalyst
from paraview.simple import *

case = dict(a.split('=', 1) for a in catalyst.get_args())['case']
grid = TrivialProducer(registrationName='grid')
options = catalyst.Options()
options.GlobalTrigger = 'TimeStep'


def catalyst_execute(info):
    grid.UpdatePipeline(info.time)
    folder = os.path.join(case, 'postProcessing', 'inSitu')
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, 'counts'), 'a') as out:
        out.write('%d\n' % info.timestep)
