/**
 * A whole system under load, in which a seeded schedule kills and restarts everything and an organization moves between
 * cells: everything acknowledged is found once. `CHAOS_MINUTES` sets the duration, `CHAOS_SEED` the schedule.
 */
import { expect, it } from 'vitest'
import { createRandom } from '../../src/platform/random.ts'
import { readAccounts } from './chaos-books.ts'
import { startPatientLoad } from './chaos-load.ts'
import {
  type ChaosSystem,
  hasClockLibrary,
  hasPooler,
  hasRedis,
  useSystem,
} from './chaos-system.ts'
import { type Load, sendCheck } from './load.ts'
import { newLedger, sendOrder, startOrders } from './order-load.ts'
import { isLinux, pause, run, runJson } from './program.ts'
import { untilPosted } from './rounds.ts'

const MINUTES = Number(process.env['CHAOS_MINUTES'] ?? '10')
const SEED = Number(process.env['CHAOS_SEED'] ?? Date.now() % 100_000)
const PAUSE_MIN_MS = 1000
const PAUSE_MAX_MS = 6000
/** Starts and the retries of everything that was not acknowledged. */
const REST_MS = 600_000
const RETRIES_MAX = 20

const newSystem = useSystem()
const print = (text: string) => void process.stdout.write(`${text}\n`)

const faultsOf = (system: ChaosSystem, index: number): Record<string, () => Promise<unknown>> => ({
  'API killed': async () => await system.killApi(index % system.apis.length),
  'worker killed': async () => await system.killWorker(index % system.workers.length),
  'PostgreSQL killed': system.killDatabase,
  ...(system.hasDisk && { 'disk full': system.fillDisk }),
  ...(hasPooler && { 'PgBouncer killed': system.killPooler }),
  ...(hasRedis && { 'Redis killed': system.killRedis }),
  ...(hasClockLibrary && {
    'clock of an API three hours ahead': async () => await system.killApi(0, '+3h'),
    'clock of an API three hours behind': async () => await system.killApi(1, '-3h'),
  }),
})

it.skipIf(!isLinux)(
  'finds everything acknowledged once',
  {
    timeout: MINUTES * 60_000 + REST_MS,
  },
  async () => {
    const random = createRandom(SEED)
    print(`Seed ${SEED}, ${MINUTES} minutes`)
    const missing = { PgBouncer: hasPooler, Redis: hasRedis, libfaketime: hasClockLibrary }
    for (const [name, isThere] of Object.entries(missing)) {
      if (!isThere) print(`Left out: ${name} is not installed`)
    }
    const system = await newSystem()
    const { keys, options, org_id } = system
    if (!system.hasDisk)
      print('Left out: a full disk, which needs the right to mount a file system')
    const ledger = newLedger()
    const loads: Load[] = system.apis.map(({ ready }, index) =>
      startPatientLoad({ url: ready.url, key: keys.live }, `api-${index}`),
    )
    const targets = { urls: system.urls(), keys }
    const orders = startOrders(targets, ledger, 'chaos')
    const started = performance.now()
    const elapsed = () => (performance.now() - started) / 1000
    const stopped = new AbortController()
    const moving = moveAround(system, stopped.signal)
    for (let index = 0; elapsed() < MINUTES * 60; index += 1) {
      await pause(random.integer(PAUSE_MIN_MS, PAUSE_MAX_MS))
      const faults = Object.entries(faultsOf(system, index))
      const [name, fault] = random.pick(faults)
      print(`${elapsed().toFixed(1)} s: ${name}`)
      await fault()
      // Clients of a node go to the address of the next one.
      targets.urls.splice(0, targets.urls.length, ...system.urls())
    }
    stopped.abort()
    print(`Moves between cells: ${await moving}`)
    await Promise.all([...loads.map(async (load) => await load.stop()), orders.stop()])

    const target = { url: system.urls()[0] ?? '', key: keys.live }
    const checks = new Map(loads.flatMap((load) => [...load.acknowledged]))
    for (const check of loads.flatMap(({ open }) => open)) {
      checks.set(
        check.event_id,
        (await untilDone(async () => await sendCheck(target, check))) ?? '',
      )
    }
    for (const order of ledger.open.values()) {
      await untilDone(
        async () => (await sendOrder(targets, target.url, ledger, order)) || undefined,
      )
    }
    await untilPosted(org_id, options)
    expect(await runJson(['credits', 'balance', '--org', org_id], options)).toMatchObject({
      ledger_difference: 0,
      usage_difference: 0,
    })
    await system.stop()
    const answers = [...ledger.acknowledged].map(
      ([sent, { mode, answer }]) => [`${mode}/${sent}`, answer.order.id] as const,
    )
    const accounts = await readAccounts(system.data_dir, { checks, orders: new Map(answers) })
    for (const [kind, { acknowledged, found, lost, doubled }] of Object.entries(accounts)) {
      print(
        `${kind}: ${acknowledged} acknowledged, ${found} found, ${lost.length} lost, ${doubled.length} doubled`,
      )
      expect({ lost, doubled }).toEqual({ lost: [], doubled: [] })
      expect(acknowledged).toBeGreaterThan(0)
    }
    expect(ledger.disagreeing).toEqual([])
  },
)

async function untilDone<T>(send: () => Promise<T | undefined>): Promise<T | undefined> {
  for (let attempt = 0; attempt < RETRIES_MAX; attempt += 1) {
    const done = await send()
    if (done !== undefined) return done
    await pause(PAUSE_MIN_MS)
  }
  throw new Error('a request is not acknowledged after the faults have ended')
}

/** Moves that a fault ends are started again. @returns their number */
async function moveAround({ options, org_id }: ChaosSystem, signal: AbortSignal): Promise<number> {
  let cell = 'main'
  for (let moves = 0; ; moves += 1) {
    const to = cell === 'main' ? 'east' : 'main'
    const args = ['org', 'move', org_id, '--to', to, '--settle', '5']
    let ended = await run(args, options)
    while (ended.status !== 0) {
      await pause(PAUSE_MIN_MS)
      ended = await run(args, options)
    }
    cell = to
    if (signal.aborted) return moves + 1
    await pause(PAUSE_MAX_MS)
  }
}
