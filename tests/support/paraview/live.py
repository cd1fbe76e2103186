# script-version: 2.0
# SPDX-License-Identifier: Apache-2.0
# Lets a ParaView that listens look at the run.
from paraview import catalyst
from paraview.simple import *

given = dict(a.split('=', 1) for a in catalyst.get_args())
grid = TrivialProducer(registrationName='grid')
options = catalyst.Options()
options.GlobalTrigger = 'TimeStep'
options.EnableCatalystLive = 1
options.CatalystLiveURL = 'localhost:' + given['port']
options.CatalystLiveTrigger = 'TimeStep'


def catalyst_execute(info):
    grid.UpdatePipeline(info.time)
