/**
 * Every event of every committed transaction reaches its receiver, however often the service or its
 * database is killed; none that was not committed ever does; what comes twice has the same id and
 * the same body. `E2E_ROUNDS` sets how many times each victim is killed.
 */
import { sql } from 'kysely'
import { afterEach, describe, expect, it } from 'vitest'
import { keepAuthority } from '../../emulators/certificate.ts'
import { type Receiver, startReceiver } from '../../emulators/receiver.ts'
import { withDatabase } from './books.ts'
import { startLoad } from './load.ts'
import { createRoom, isLinux, pause, type Room, serve } from './program.ts'
import { signIn } from './reviewer.ts'
import {
  ROUND_TIMEOUT_MS,
  ROUNDS,
  type Services,
  thePostgres,
  theService,
  untilAnyInstant,
} from './rounds.ts'

let room: Room | undefined
let receiver: Receiver | undefined
afterEach(async () => {
  await room?.close()
  await receiver?.close()
})

type Caller = { url: string; token: string; org_id: string }
type Hook = { id: string; secret: string }

describe.skipIf(!isLinux).each([theService, thePostgres])(
  'when $who is killed while webhooks are sent',
  ({ kill }) => {
    it('every event arrives, and nothing but events', {
      timeout: 120_000 + ROUNDS * ROUND_TIMEOUT_MS,
    }, async () => {
      room = createRoom()
      const authority = keepAuthority(room.folder)
      receiver = await startReceiver({ authority, keep: 1_000_000 })
      const options = {
        cwd: room.folder,
        env: {
          NODE_EXTRA_CA_CERTS: authority.file,
          VIGIL_WEBHOOK_ALLOW: `127.0.0.1:${receiver.port}`,
          VIGIL_WEBHOOK_DEADLINE_MS: '1000',
          VIGIL_WEBHOOK_RETRY_SCHEDULE: Array(30).fill('1s').join(','),
        },
      }
      let services: Services = [await serve(options)]
      const account = services[0].ready.first_run
      if (!account) throw new Error('it was not the first start')
      const { org_id } = account
      const caller = { org_id, token: await signIn(services[0].ready.url, account) }
      const hook = await create({ ...caller, url: services[0].ready.url }, receiver.url)
      // Of each event, the first attempt fails.
      const trouble = { latency_ms: 20, status: 503, times: 1 }
      receiver.setScenario({ secrets: [hook.secret], paths: { '/hook': trouble } })
      for (let round = 0; round < ROUNDS; round += 1) {
        const target = { url: services[0].ready.url, key: account.keys.live_secret }
        const load = startLoad(target, `round-${round}`)
        await untilAnyInstant()
        services = await kill({ options, services, load })
      }
      await untilDelivered({ ...caller, url: services[0].ready.url }, hook)
      expect((await services[0].stop()).status).toBe(0)

      const events = await readEvents(services[0].ready.data_dir)
      expect(events.size).toBeGreaterThan(ROUNDS)
      const accepted = [...receiver.accepted.keys()].map((key) => key.replace('/hook ', ''))
      expect(new Set(accepted)).toEqual(new Set(events.keys()))
      const wrong = receiver.received.filter(
        ({ delivery, body, signature }) =>
          signature !== 'valid' || events.get(delivery ?? '') !== body,
      )
      expect(wrong).toEqual([])
    })
  },
)

async function ask<Content>(
  { url, token }: Caller,
  path: string,
  body?: Record<string, unknown>,
): Promise<Content> {
  const answer = await fetch(url.replace(/\/v1$/, path), {
    method: body ? 'POST' : 'GET',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  })
  expect(answer.status).toBe(200)
  const { content } = (await answer.json()) as { content: Content }
  return content
}

const create = async (caller: Caller, receiverUrl: string): Promise<Hook> =>
  await ask(caller, '/v1/webhooks', {
    org_id: caller.org_id,
    url: `${receiverUrl}/hook`,
    events: ['email.check.completed'],
  })

/** Also what was under way when the process died: its leases end after a while. */
async function untilDelivered(caller: Caller, { id }: Hook): Promise<void> {
  type Statistics = { counted: number; by_status: { succeeded?: number }; is_partial: boolean }
  const path = `/console/api/webhooks/${id}/statistics?org_id=${caller.org_id}`
  for (;;) {
    const { counted, by_status, is_partial } = await ask<Statistics>(caller, path)
    if (is_partial) throw new Error('there are more deliveries than are counted')
    if (by_status.succeeded === counted) return
    await pause(500)
  }
}

/** Id → body. */
const readEvents = async (dataDir: string): Promise<Map<string, string>> =>
  await withDatabase(dataDir, async (db) => {
    const { rows } = await sql<{ id: string; body: string }>`select id, body from events`.execute(
      db,
    )
    return new Map(rows.map(({ id, body }) => [id, body]))
  })
