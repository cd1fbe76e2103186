# SPDX-License-Identifier: Apache-2.0
# pvpython live_client.py PORT SECONDS: listens, reads the range of T that a run shows, prints it and ends.
import sys
import time

from paraview import live
from paraview.simple import *

port, deadline = int(sys.argv[1]), time.time() + float(sys.argv[2])
state = dict(source=None, closed=False, done=False)


def created(link, event):
    state['source'] = live.ExtractCatalystData(link, 'grid')
    live.ProcessServerNotifications()


def updated(link, event):
    source = state['source']
    if state['done'] or source is None:
        return
    source.UpdatePipeline()
    cells = source.GetDataInformation().GetNumberOfCells()
    array = source.CellData['T'] if cells else None
    if array is None:
        return
    state['done'] = True
    print('value', cells, '%.15g %.15g' % array.GetRange(), flush=True)


link = live.ConnectToCatalyst('localhost', port)
link.AddObserver('ConnectionCreatedEvent', created)
link.AddObserver('UpdateEvent', updated)
link.AddObserver('ConnectionClosedEvent', lambda l, e: state.update(closed=True))
print('listening', flush=True)
while not state['done'] and not state['closed'] and time.time() < deadline:
    live.ProcessServerNotifications()
    time.sleep(0.05)
sys.exit(0 if state['done'] else 1)
