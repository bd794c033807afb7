/**
 * A stand-in of the Android Management API, with the OAuth and Pub/Sub that belong to it, phones that
 * behave as phones do, and an interface to steer them. State is kept in a folder when there is one.
 */
import { startHttp } from '../http-server.ts'
import { createTimers } from '../timers.ts'
import { createBulk } from './bulk.ts'
import { type AndroidControl, createControl, type RequestRecord } from './control.ts'
import type { Core } from './core.ts'
import { createFaults } from './faults.ts'
import { createNotifier } from './notifier.ts'
import { expireOperations } from './operations.ts'
import { keepState, loadState } from './persistence.ts'
import { talk } from './phones.ts'
import { createBroker } from './pubsub.ts'
import { createPush } from './push.ts'
import { createReactions } from './reactions.ts'
import { createRoutes } from './routes.ts'

export type { AndroidControl } from './control.ts'
export type { EnrolRequest } from './control-schema.ts'
export type { PhoneView } from './control-views.ts'

export type AndroidEmulator = {
  /** `http://127.0.0.1:5490`, no slash at the end. */
  readonly url: string
  readonly port: number
  /** What `/control/…` does, without HTTP. */
  readonly control: AndroidControl
  close: () => Promise<void>
}

export type AndroidOptions = {
  /** Default 5490; 0 takes a free one. */
  readonly port?: number
  readonly host?: string
  /** Where the state is kept; without it, it ends with the process. */
  readonly folder?: string
  readonly now?: () => Date
}

const PORT = 5_490
const HOUSEKEEPING_MS = 1_000

export async function startAndroidManagement(
  options: AndroidOptions = {},
): Promise<AndroidEmulator> {
  const world = createWorld(options)
  const server = await startHttp({
    port: options.port ?? PORT,
    host: options.host ?? '127.0.0.1',
    handle: world.handle,
  })
  world.begin(server.url)
  return {
    url: server.url,
    port: server.port,
    control: world.control,
    close: async () => {
      await world.end()
      await server.close()
      world.save()
    },
  }
}

function createWorld({ folder, now: clientNow = () => new Date() }: AndroidOptions) {
  const state = loadState(folder)
  const keeper = keepState(state, folder)
  const timers = createTimers()
  const faults = createFaults()
  const requests: RequestRecord[] = []
  let url = ''

  const now = () => new Date(clientNow().getTime() + state.clock_offset_ms)
  const broker = createBroker({
    state,
    now,
    touch: keeper.touch,
    onReady: (subscription) => push.pump(subscription),
  })
  const core: Core = {
    state,
    url: () => url,
    now,
    clientNow,
    touch: keeper.touch,
    notify: createNotifier({ broker, faults, timers }),
    wake: createReactions(timers, (phone) => talk(core, phone)),
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
    begin: (told: string) => {
      url = told
      for (const phone of state.phones.values()) if (phone.device_id !== null) core.wake(phone)
      for (const subscription of state.subscriptions.values()) push.pump(subscription)
      housekeep()
    },
    end: async () => {
      timers.clear()
      broker.close()
      await push.close()
    },
    save: () => {
      // What a last request has set going.
      timers.clear()
      keeper.close()
    },
  }
}
