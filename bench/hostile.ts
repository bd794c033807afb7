/**
 * Processor time that hostile requests cost the service, and the latency of another organization's checks while
 * they are sent.
 */
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Bed, type Context, startBed, startService } from './bed.ts'
import { createFullRequests } from './full-requests.ts'
import { createHostileRequests, type HostileRequest } from './hostile-requests.ts'
import { floodWithNeighbor } from './hostile-rum.ts'
import { addSenders, type ScenarioFindings, type Scene, type Senders } from './hostile-scene.ts'
import { type Aim, type Findings, fine } from './report.ts'
import { combine, measure, type Row, ratioOf, repeat, type Sample } from './rounds.ts'
import { createServiceLoad, type ServiceLoad } from './service-load.ts'
import { latencyOf } from './statistics.ts'
import { DOMAINS, startWorld } from './world.ts'

type Scenario = {
  settings: Record<string, string>
  run: (scene: Scene) => Promise<ScenarioFindings>
}

const UNLIMITED = '900000000/10'
/** The limit of the console is per client network, and here all come from one. */
const FREE_SIGN_IN = {
  VIGIL_RATE_LIMIT_CHECK: UNLIMITED,
  VIGIL_RATE_LIMIT_SIGN_IN: UNLIMITED,
  VIGIL_RATE_LIMIT_CONSOLE: UNLIMITED,
}
const FREE_RUM = { VIGIL_RATE_LIMIT_RUM: UNLIMITED, VIGIL_RATE_LIMIT_RUM_NETWORK: UNLIMITED }

/** Each attacks the service in its own way. */
const SCENARIOS = new Map<string, Scenario>([
  ['bodies', { settings: { ...FREE_SIGN_IN, ...FREE_RUM }, run: bodiesOneByOne }],
  ['neighbor', { settings: FREE_SIGN_IN, run: bodiesWithNeighbor }],
  ['flood', { settings: {}, run: floodWithNeighbor }],
])

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
  const { options, cleanup } = context
  const world = await startWorld()
  cleanup.add(world.close)
  const bed = await startBed(context)
  const all: Findings = { unit: 'requests', rows: [], notes: [], aims: [] }
  let senders: Senders | undefined
  if (options.only !== undefined && !SCENARIOS.has(options.only)) {
    throw new Error(`--only must be one of ${[...SCENARIOS.keys()].join(', ')}`)
  }
  for (const [name, { settings, run }] of SCENARIOS) {
    if (options.only !== undefined && options.only !== name) continue
    const service = await startService(bed, { settings: { ...world.settings, ...settings } })
    senders ??= await addSenders(bed)
    const { rows, notes, aims } = await run({ bed, service, senders })
    all.rows.push(...rows)
    all.notes.push(...notes)
    all.aims.push(...aims)
    await service.stop()
  }
  return all
}

const hostileRequests = ({ options }: Bed): HostileRequest[] =>
  createHostileRequests(options.is_quick ? QUICK_BYTES : Infinity)

/** Measures the cost of each request for a service that does nothing else. */
async function bodiesOneByOne(scene: Scene): Promise<ScenarioFindings> {
  const { bed, service } = scene
  const requests = [...createFullRequests(), ...hostileRequests(bed)]
  const rows: Row[] = []
  bed.onProgress('warming up')
  for (const one of requests.filter(({ body }) => body.length < WARM_BYTES)) {
    await sendHostile(scene, one)
  }
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
  return { rows, notes: [], aims: worstAims(rows, requests) }
}

async function bodiesWithNeighbor(scene: Scene): Promise<ScenarioFindings> {
  const { bed, service, senders } = scene
  const requests = hostileRequests(bed)
  const rows: Row[] = []
  const neighbor = createServiceLoad(bed, { service, kind: 'checks', keys: [senders.neighbor] })
  bed.onProgress('warming up')
  await neighbor.send({ clients: 4, seconds: 30, count: DOMAINS * 2 })
  for (const sender of ['nobody', 'secret key', 'public key'] as const) {
    const own = requests.filter((request) => request.sender === sender)
    rows.push(
      ...(await measureNeighbor({ bed, neighbor }, `bodies of ${sender}`, async (mayGoOn) => {
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
  const notes = ['ratio: p99 of the neighbor during hostile requests to its p99 alone']
  return { rows, notes, aims: neighborAims(rows) }
}

/** Measures the neighbor alone and during an attack, in rounds that alternate. */
async function measureNeighbor(
  { bed, neighbor }: { bed: Bed; neighbor: ServiceLoad },
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
    `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nConnection: close\r\n${key === '' ? '' : `X-API-Key: ${key}\r\n`}Content-Length: ${body.length}\r\n\r\n`,
  )
  socket.write(body)
  await closed
}

const costMs = ({ cpu_us }: Row): number => (cpu_us.service ?? Number.NaN) / 1000

/** @returns for each sender the request with the largest cost beyond that of a documented one */
function worstAims(rows: Row[], requests: HostileRequest[]): Aim[] {
  const costOf = new Map(rows.map((row) => [row.subject, costMs(row)]))
  const beyond = requests
    .filter(({ is_documented }) => !is_documented)
    .map(({ name, path, sender }) => {
      const full = requests.find((one) => one.path === path && one.is_documented)
      const cost = costOf.get(name) ?? Number.NaN
      const documented = costOf.get(full?.name ?? '') ?? 0
      return { name, sender, cost, documented, extra: cost - documented }
    })
  return Object.entries(AIM_MS).flatMap(([sender, below]) => {
    const own = beyond.filter((one) => one.sender === sender)
    const worst = own.toSorted((a, b) => b.extra - a.extra)[0]
    if (!worst) return []
    const { name, cost, documented, extra } = worst
    const text = `worst of ${sender}, ${name}: ${fine(cost)} ms of processor time, ${fine(documented)} ms of them documented, aim below ${below} ms beyond`
    return [{ is_met: extra < below, text }]
  })
}

function neighborAims(rows: Row[]): Aim[] {
  return rows.flatMap(({ scenario, ratio }) => {
    if (!ratio) return []
    const text = `p99 of the neighbor during ${scenario}: ${fine(ratio.median)} times that alone, aim below ${AIM_P99_RATIO}`
    return [{ is_met: ratio.median < AIM_P99_RATIO, text }]
  })
}
