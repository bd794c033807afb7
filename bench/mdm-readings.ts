/** How long pages of a large fleet take, and what a report about all of it takes of memory. */
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Cleanup } from './cleanup.ts'
import type { MdmBed } from './mdm.ts'
import { addFleet, groupId, tidyFleet } from './mdm-fleet.ts'
import type { ListRow, ReportRun } from './mdm-report.ts'
import type { MdmServerJob, MdmServerResult } from './mdm-server.ts'
import type { BenchOptions } from './options.ts'
import { summariseQueries } from './statistics.ts'
import { startWorker, type Worker } from './worker.ts'

type Server = Worker<MdmServerJob, MdmServerResult>

export type Readings = { devices: number; lists: ListRow[]; reports: ReportRun[] }

const DEVICES = 300_000
const DEVICES_QUICK = 30_000
const TURNS = 40
const WARM_TURNS = 6
const PAGE = 50
const LOOK_MS = 50
const GROUP = groupId(1)
const AUTHORIZATION = { authorization: 'Bearer bench' }

/** Asked of a fleet whose oldest tenth does not comply. */
const FILTERS: readonly (readonly [name: string, query: string])[] = [
  ['all', ''],
  ['active', 'state=active'],
  ['lost', 'state=lost'],
  ['deleted', 'state=deleted'],
  ['work profile', 'mode=work_profile'],
  ['compliant', 'compliance=compliant'],
  ['in grace', 'compliance=grace_period'],
  ['non-compliant', 'compliance=non_compliant'],
  ['of a group', `group_id=${GROUP}`],
  ['common of each', 'state=active&mode=fully_managed&compliance=compliant'],
  ['rare of each', 'state=provisioning&mode=fully_managed&compliance=non_compliant'],
]

export async function measureReadings(
  bed: MdmBed,
  options: BenchOptions,
  cleanup: Cleanup,
): Promise<Readings> {
  const devices = options.is_quick ? DEVICES_QUICK : DEVICES
  const org_id = randomUUID()
  await addFleet(bed.stores.db, { org_id, devices }, bed.tell)
  await tidyFleet(bed.postgres.address)
  const server: Server = startWorker('mdm-server', options.profile_folder)
  cleanup.add(server.stop)
  const job = { data_dir: bed.postgres.data_dir }
  const { port } = await server.run(job)
  const ask = async (path: string) => await open(port, `/v1/mdm/${path}org_id=${org_id}`)
  const lists: ListRow[] = []
  for (const [filter, query] of FILTERS) {
    bed.tell(`pages of devices: ${filter}`)
    lists.push({ filter, ...(await measureList(ask, query)) })
  }
  const reports: ReportRun[] = []
  for (let round = 1; round <= options.rounds; round += 1) {
    bed.tell(`report about all devices, round ${round} of ${options.rounds}`)
    const rssMb = async () => (await server.run(job)).rss_mb
    reports.push(await measureReport(ask, rssMb))
  }
  await server.stop()
  return { devices, lists, reports }
}

type Ask = (path: string) => Promise<IncomingMessage>
type Page = { content: { devices: unknown[]; pagination: { total: number; pages: number } } }

/** Pages from the first to the last, evenly. @throws Error when one has not what it has to have */
async function measureList(ask: Ask, query: string): Promise<Omit<ListRow, 'filter'>> {
  const read = async (page: number): Promise<Page['content']> => {
    const text = await textOf(await ask(`devices?${query}&page=${page}&limit=${PAGE}&`))
    return (JSON.parse(text) as Page).content
  }
  const { total, pages } = (await read(1)).pagination
  for (let turn = 0; turn < WARM_TURNS; turn += 1) await read(1)
  const latencies: number[] = []
  for (let turn = 0; turn < TURNS; turn += 1) {
    const page = 1 + Math.round(((pages - 1) * turn) / (TURNS - 1))
    const begun = performance.now()
    const { devices } = await read(page)
    latencies.push(performance.now() - begun)
    if (devices.length !== Math.min(PAGE, total - (page - 1) * PAGE)) {
      throw new Error(`page ${page} of ${query || 'all'} has ${devices.length} devices`)
    }
  }
  return { total, ...summariseQueries(latencies) }
}

async function measureReport(ask: Ask, rssMb: () => Promise<number>): Promise<ReportRun> {
  const before_mb = await rssMb()
  const begun = performance.now()
  const answer = await ask('reports/fleet-inventory.csv?')
  let peak_mb = before_mb
  const reading = { is_done: false }
  const watch = async () => {
    while (!reading.is_done) {
      peak_mb = Math.max(peak_mb, await rssMb())
      await sleep(LOOK_MS)
    }
  }
  const watching = watch()
  let bytes = 0
  let lines = 0
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    bytes += chunk.length
    for (let at = chunk.indexOf(0x0a); at !== -1; at = chunk.indexOf(0x0a, at + 1)) lines += 1
  }
  const seconds = (performance.now() - begun) / 1000
  reading.is_done = true
  await watching
  return { rows: lines - 1, megabytes: bytes / 1e6, seconds, before_mb, peak_mb }
}

/** Over a connection of its own. @throws Error unless it is answered with 200 */
async function open(port: number, path: string): Promise<IncomingMessage> {
  const request = get({ host: '127.0.0.1', port, path, headers: AUTHORIZATION, agent: false })
  const [answer] = (await once(request, 'response')) as [IncomingMessage]
  if (answer.statusCode === 200) return answer
  throw new Error(`${path} was answered with ${answer.statusCode}: ${await textOf(answer)}`)
}

async function textOf(answer: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of answer.setEncoding('utf8')) text += chunk as string
  return text
}
