/**
 * Processor time that hostile requests cost the service, and the latency of another organization's checks while
 * they are sent.
 */
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { createKeys } from '../src/modules/keys/index.ts'
import {
  addOrganizations,
  type Bed,
  type Context,
  openBenchStores,
  startBed,
  startService,
} from './bed.ts'
import { createHostileRequests, type HostileRequest } from './hostile-requests.ts'
import { type Aim, type Findings, fine } from './report.ts'
import { combine, measure, type Row, ratioOf, repeat, type Sample } from './rounds.ts'
import type { Service } from './service.ts'
import { createServiceLoad, type ServiceLoad } from './service-load.ts'
import { latencyOf } from './statistics.ts'
import { DOMAINS, startWorld } from './world.ts'

type Senders = Record<HostileRequest['sender'], string | undefined>

type Scene = {
  bed: Bed
  service: Service
  /** Light checks of an organization that does nothing wrong. */
  neighbor: ServiceLoad
  /** Keys of the hostile organization. */
  senders: Senders
  requests: HostileRequest[]
}

/** Each attacks the service in its own way, and reports how the neighbor fares. */
const SCENARIOS: ((scene: Scene) => Promise<Row[]>)[] = [bodiesOneByOne, bodiesWithNeighbor]

const SETTINGS = {
  VIGIL_RATE_LIMIT_CHECK: '900000000/10',
  VIGIL_RATE_LIMIT_SIGN_IN: '900000000/10',
  VIGIL_RATE_LIMIT_CONSOLE: '900000000/10',
}
/** Processor time is counted in hundredths of a second. */
const SENT_EACH = 20
const SENT_EACH_LARGE = 4
const LARGE_BYTES = 1_048_576
const QUICK_BYTES = 1_048_576
const WARM_BYTES = 65_536
const NEIGHBOR = { clients: 16, per_second: 200 }
/** The rate that the default limit of the console permits for one address. */
const HOSTILE_PER_SECOND = 10
const ALONE = 'neighbor alone'
const AIM_MS = { nobody: 20, 'secret key': 100, 'public key': 100 }
const AIM_P99_RATIO = 2
const RESPONSE_DEADLINE_MS = 60_000

export async function benchHostile(context: Context): Promise<Findings> {
  const { options, cleanup, onProgress } = context
  const world = await startWorld()
  cleanup.add(world.close)
  const bed = await startBed(context)
  const service = await startService(bed, { settings: { ...world.settings, ...SETTINGS } })
  const neighbor = createServiceLoad(bed, { service, kind: 'checks', keys: [service.key] })
  const requests = createHostileRequests(options.is_quick ? QUICK_BYTES : Infinity)
  const scene = { bed, service, neighbor, senders: await addSenders(bed), requests }
  onProgress('warming up')
  await neighbor.send({ clients: 4, seconds: 30, count: DOMAINS * 2 })
  for (const one of requests.filter(({ body }) => body.length < WARM_BYTES)) {
    await sendHostile(scene, one)
  }
  const rows: Row[] = []
  for (const run of SCENARIOS) rows.push(...(await run(scene)))
  return {
    unit: 'requests',
    rows,
    notes: ['ratio: p99 of the neighbor during hostile requests to its p99 alone'],
    aims: [...worstAims(rows), ...neighborAims(rows)],
  }
}

async function addSenders(bed: Bed): Promise<Senders> {
  const stores = await openBenchStores(bed.data_dir)
  try {
    const [org = ''] = await addOrganizations(stores, 1)
    const keys = createKeys(stores)
    const [secret, open] = [
      await keys.create(org, 'live_secret'),
      await keys.create(org, 'live_public'),
    ]
    return { nobody: undefined, 'secret key': secret?.key, 'public key': open?.key }
  } finally {
    await stores.close()
  }
}

/** Measures the cost of each request for a service that does nothing else. */
async function bodiesOneByOne(scene: Scene): Promise<Row[]> {
  const { bed, service, requests } = scene
  const rows: Row[] = []
  for (const request of requests) {
    const samples = await repeat(
      bed,
      request.name,
      async () =>
        await measure(bed, {
          parties: { service: service.pid },
          service,
          run: async () => {
            const units = request.body.length > LARGE_BYTES ? SENT_EACH_LARGE : SENT_EACH
            const latencies: number[] = []
            const begun = performance.now()
            for (let sent = 0; sent < units; sent += 1) {
              const from = performance.now()
              await sendHostile(scene, request)
              latencies.push(performance.now() - from)
            }
            const per_second = units / ((performance.now() - begun) / 1000)
            return { units, per_second, ...latencyOf(latencies) }
          },
        }),
    )
    rows.push({ scenario: request.sender, subject: request.name, ...combine(samples) })
  }
  return rows
}

async function bodiesWithNeighbor(scene: Scene): Promise<Row[]> {
  const { bed, requests } = scene
  const rows: Row[] = []
  for (const sender of ['nobody', 'secret key', 'public key'] as const) {
    const own = requests.filter((request) => request.sender === sender)
    rows.push(
      ...(await measureNeighbor(scene, `bodies of ${sender}`, async (mayGoOn) => {
        const pending: Promise<unknown>[] = []
        for (let sent = 0; mayGoOn(); sent += 1) {
          const request = own[sent % own.length]
          if (request) pending.push(sendHostile(scene, request))
          await sleep(1000 / HOSTILE_PER_SECOND)
        }
        await Promise.all(pending)
      })),
    )
  }
  bed.onProgress('done')
  return rows
}

/** Measures the neighbor alone and during an attack, in rounds that alternate. */
async function measureNeighbor(
  { bed, neighbor }: Scene,
  scenario: string,
  attack: (mayGoOn: () => boolean) => Promise<void>,
): Promise<Row[]> {
  const alone: Sample[] = []
  const attacked: Sample[] = []
  const measureAttacked = async () => {
    let isOver = false
    const attacking = attack(() => !isOver)
    try {
      attacked.push(await neighbor.measureHttp(NEIGHBOR))
    } finally {
      isOver = true
      await attacking
    }
  }
  const measureAlone = async () => void alone.push(await neighbor.measureHttp(NEIGHBOR))
  await repeat(bed, scenario, async (round) => {
    const steps = [measureAlone, measureAttacked]
    for (const step of round % 2 === 0 ? steps : steps.toReversed()) await step()
  })
  const p99s = (samples: Sample[]) => samples.map(({ p99_ms = NaN }) => ({ per_second: p99_ms }))
  return [
    { scenario, subject: ALONE, ...combine(alone) },
    {
      scenario,
      subject: 'neighbor',
      ...combine(attacked),
      ratio: ratioOf(p99s(attacked), p99s(alone), ALONE),
    },
  ]
}

/** Uses a separate connection, because the service closes it when it refuses a body unread. */
async function sendHostile(
  { service, senders }: Pick<Scene, 'service' | 'senders'>,
  { path, sender, body }: HostileRequest,
): Promise<void> {
  const key = senders[sender]
  const socket = connect({ port: service.port, host: '127.0.0.1' })
  socket.setTimeout(RESPONSE_DEADLINE_MS, () => socket.destroy())
  // The rest of a refused body meets a closed connection.
  socket.on('error', () => undefined)
  socket.on('data', () => socket.end())
  const closed = new Promise<void>((resolve) => void socket.once('close', () => resolve()))
  socket.write(
    `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nConnection: close\r\n${key === undefined ? '' : `X-API-Key: ${key}\r\n`}Content-Length: ${body.length}\r\n\r\n`,
  )
  socket.write(body)
  await closed
}

const costMs = ({ cpu_us }: Row): number => (cpu_us.service ?? Number.NaN) / 1000

function worstAims(rows: Row[]): Aim[] {
  return Object.entries(AIM_MS).flatMap(([sender, below]) => {
    const own = rows.filter(({ scenario }) => scenario === sender)
    const worst = own.toSorted((a, b) => costMs(b) - costMs(a))[0]
    if (!worst) return []
    const cost = costMs(worst)
    const text = `worst of ${sender}, ${worst.subject}: ${fine(cost)} ms of processor time, aim below ${below} ms`
    return [{ is_met: cost < below, text }]
  })
}

function neighborAims(rows: Row[]): Aim[] {
  return rows.flatMap(({ scenario, ratio }) => {
    if (!ratio) return []
    const text = `p99 of the neighbor during ${scenario}: ${fine(ratio.median)} times that alone, aim below ${AIM_P99_RATIO}`
    return [{ is_met: ratio.median < AIM_P99_RATIO, text }]
  })
}
