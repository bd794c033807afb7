/**
 * Import of subscriptions from another service: 100,000 lines by `vigil push import`, and as many by the API
 * of the console, each into another application.
 */
import { execFile } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { sql } from 'kysely'
import { IMPORTED_TOGETHER_MAX } from '../src/modules/push/index.ts'
import { type Bed, type Context, openBenchStores, startBed, startService } from './bed.ts'
import { importedSubscription } from './registration-requests.ts'
import { type Aim, type Findings, fine } from './report.ts'
import type { Service } from './service.ts'

const SUBSCRIPTIONS = 100_000
const QUICK_SUBSCRIPTIONS = 10_000
const AIM_SECONDS = 60
const MAIN = fileURLToPath(new URL('../src/main.js', import.meta.url))

type Way = 'vigil push import' | 'console API'

/** @throws Error when a subscription is missing afterwards */
export async function benchPushImports(context: Context): Promise<Findings> {
  const { options, cleanup, onProgress } = context
  const bed = await startBed(context)
  const service = await startService(bed, { settings: {} })
  const { db, newId, clock, close } = await openBenchStores(bed.data_dir)
  cleanup.add(close)
  const count = options.is_quick ? QUICK_SUBSCRIPTIONS : SUBSCRIPTIONS
  const subscriptions = Array.from({ length: count }, (_, number) => importedSubscription(number))

  const measure = async (way: Way): Promise<Aim> => {
    onProgress(way)
    const application = newId(clock.now())
    await sql`
      insert into applications (org_id, id, type, environment, name, created_at, updated_at)
      values (${service.org_id}, ${application}, 'flutter', 'live', ${way}, now(), now())`.execute(
      db,
    )
    const started = performance.now()
    if (way === 'console API') await importByApi(bed, service, application, subscriptions)
    else await importByCommand(bed, service, application, subscriptions)
    const seconds = (performance.now() - started) / 1000
    const { rows } = await sql<{ count: number }>`
      select count(*) as count from push_subscriptions where application_id = ${application}`.execute(
      db,
    )
    if (Number(rows[0]?.count) !== count) throw new Error('some subscriptions are missing')
    const text = `${way}: ${count} in ${fine(seconds)} s, aim below ${AIM_SECONDS} s for ${SUBSCRIPTIONS}`
    return { is_met: seconds * (SUBSCRIPTIONS / count) < AIM_SECONDS, text }
  }
  const aims = [await measure('vigil push import'), await measure('console API')]
  return { unit: 'imported subscriptions', rows: [], notes: [], aims }
}

/** The time includes the start of the command. */
async function importByCommand(
  { data_dir }: Bed,
  { org_id }: Service,
  application: string,
  subscriptions: readonly object[],
): Promise<void> {
  const file = join(data_dir, 'subscriptions.ndjson')
  writeFileSync(file, subscriptions.map((each) => `${JSON.stringify(each)}\n`).join(''))
  const of = ['--org', org_id, '--application', application, '--file', file]
  await promisify(execFile)(process.execPath, [MAIN, 'push', 'import', ...of], {
    cwd: data_dir,
    env: { PATH: process.env['PATH'], VIGIL_DATA_DIR: data_dir },
  })
}

async function importByApi(
  { data_dir }: Bed,
  { port, org_id }: Service,
  application_id: string,
  subscriptions: readonly object[],
): Promise<void> {
  const post = async <T>(path: string, body: object, token?: string): Promise<T> => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
      },
      body: JSON.stringify(body),
    })
    if (!response.ok) throw new Error(`${path} returned ${response.status}`)
    return ((await response.json()) as { content: T }).content
  }
  const { email, password } = JSON.parse(
    readFileSync(join(data_dir, 'first-start.json'), 'utf8'),
  ) as { email: string; password: string }
  const signedIn = await post<{ access_token: string }>('/console/api/auth/login', {
    email,
    password,
  })
  for (let from = 0; from < subscriptions.length; from += IMPORTED_TOGETHER_MAX) {
    const portion = subscriptions.slice(from, from + IMPORTED_TOGETHER_MAX)
    const body = { org_id, application_id, subscriptions: portion }
    await post('/console/api/push/subscriptions/import', body, signedIn.access_token)
  }
}
