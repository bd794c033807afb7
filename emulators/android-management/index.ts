/**
 * An emulator of the Android Management API with its OAuth and Pub/Sub, emulated phones, and a control
 * interface. It persists its state in a folder if it has one.
 */
import type { RequestRecord } from '../control-routes.ts'
import { startHttp } from '../http-server.ts'
import { createTimers } from '../timers.ts'
import { createBulk } from './bulk.ts'
import { createCheckIns } from './check-ins.ts'
import { type AndroidControl, createControl } from './control.ts'
import type { Core } from './core.ts'
import { createFaults } from './faults.ts'
import { createNotifier } from './notifier.ts'
import { expireOperations } from './operations.ts'
import { loadState, persistState } from './persistence.ts'
import { checkIn } from './phones.ts'
import { createBroker } from './pubsub.ts'
import { createPush } from './push.ts'
import { createRoutes } from './routes.ts'

export type { AndroidControl } from './control.ts'
export type { EnrollRequest } from './control-schema.ts'
export type { PhoneView } from './control-views.ts'

export type AndroidEmulator = {
  /** `http://127.0.0.1:5490`, without a slash at the end. */
  readonly url: string
  readonly port: number
  /** The control interface, without HTTP. */
  readonly control: AndroidControl
  close: () => Promise<void>
}

export type AndroidOptions = {
  /** Default 5490; 0 takes a free one. */
  readonly port?: number
  readonly host?: string
  /** Folder of the persisted state; without it, the state ends with the process. */
  readonly folder?: string
  readonly now?: () => Date
}

const PORT = 5_490
const HOUSEKEEPING_MS = 1_000

export async function startAndroidManagement(
  options: AndroidOptions = {},
): Promise<AndroidEmulator> {
  const core = createCore(options)
  const server = await startHttp({
    port: options.port ?? PORT,
    host: options.host ?? '127.0.0.1',
    handle: core.handle,
  })
  core.start(server.url)
  return {
    url: server.url,
    port: server.port,
    control: core.control,
    close: async () => {
      await core.stop()
      await server.close()
      core.save()
    },
  }
}

/** The emulator without its HTTP server. */
function createCore({ folder, now: clientNow = () => new Date() }: AndroidOptions) {
  const state = loadState(folder)
  const persistence = persistState(state, folder)
  const timers = createTimers()
  const faults = createFaults()
  const requests: RequestRecord[] = []
  let url = ''

  const now = () => new Date(clientNow().getTime() + state.clock_offset_ms)
  const broker = createBroker({
    state,
    now,
    touch: persistence.touch,
    onReady: (subscription) => push.pump(subscription),
  })
  const core: Core = {
    state,
    url: () => url,
    now,
    clientNow,
    touch: persistence.touch,
    notify: createNotifier({ broker, faults, timers }),
    wake: createCheckIns(timers, (phone) => checkIn(core, phone)),
  }
  const push = createPush({ core, broker, timers })
  const bulk = createBulk(core, timers)
  const control = createControl({ core, broker, faults, bulk, requests })
  const handle = createRoutes({ core, broker, faults, push, control, requests })

  const housekeep = () => {
    expireOperations(core)
    broker.reclaim()
    timers.later(HOUSEKEEPING_MS, housekeep)
  }

  return {
    control,
    handle,
    start: (serverUrl: string) => {
      url = serverUrl
      for (const phone of state.phones.values()) if (phone.device_id !== null) core.wake(phone)
      for (const subscription of state.subscriptions.values()) push.pump(subscription)
      housekeep()
    },
    stop: async () => {
      timers.clear()
      broker.close()
      await push.close()
    },
    save: () => {
      // The last requests may have started timers.
      timers.clear()
      persistence.close()
    },
  }
}
