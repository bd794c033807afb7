import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { ownDatabase } from '../../../../../test/database.ts'
import { AppError } from '../../../../platform/http/errors.ts'
import { createIds } from '../../../../platform/ids.ts'
import { createLog } from '../../../../platform/log.ts'
import { createIntake, type IntakeBatch } from '../../../intake/index.ts'
import { createLogIngest, type LogIngestOptions } from './service.ts'

// Its own: what organisations that nobody made have used cannot be posted.
const db = ownDatabase()
const newId = createIds()
const NOON = new Date('2026-03-01T12:00:00.000Z')
const ENTRY = { device_id: 'till-1', level: 'info', message: 'Started' }

function ingestOf(given: Partial<LogIngestOptions> = {}) {
  let now = NOON
  const submitted: IntakeBatch[] = []
  const intake = createIntake({
    db,
    newId,
    log: createLog('silent'),
    spool_max_bytes: Number.MAX_SAFE_INTEGER,
  })
  const ingest = createLogIngest({
    clock: { now: () => now },
    newId,
    intake: {
      fullFor: intake.fullFor,
      submit: async (batch) => {
        submitted.push(batch)
        return await intake.submit(batch)
      },
    },
    billing: { usageAvailable: () => Promise.resolve(true) },
    credits_required: false,
    field_limits: {
      edge_batch_max: 1000,
      edge_batch_max_bytes: 5_000_000,
      edge_message_max_chars: 65_536,
      edge_data_max_bytes: 65_536,
      json_max_depth: 32,
    },
    ...given,
  })
  const org_id = randomUUID()
  const sendBody = async (body: unknown, mode: 'live' | 'test' = 'live') =>
    await ingest.ingestLogs({ org_id, mode }, body, Buffer.from(JSON.stringify(body)))
  return {
    org_id,
    submitted,
    sendBody,
    send: async (...logs: unknown[]) => await sendBody({ logs }),
    wait: (seconds: number) => {
      now = new Date(now.getTime() + seconds * 1000)
    },
  }
}

const refused = async (work: Promise<unknown>) => {
  const error = await work.then(
    () => expect.unreachable(),
    (cause: unknown) => cause,
  )
  if (!(error instanceof AppError)) throw error
  const { status, body } = error
  return { status, message: body.message, content: body.content }
}

const linesOf = (batch: IntakeBatch | undefined) =>
  String(batch?.payload)
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>)

describe('a batch of logs', () => {
  it('is taken in as it was sent', async () => {
    const { send, submitted, org_id } = ingestOf()
    const receipt = await send(ENTRY, { ...ENTRY, device_id: 'till-2' })
    expect(receipt).toEqual({
      received: 2,
      processed: 2,
      message: 'Logs received',
      is_repeat: false,
    })
    const lines = linesOf(submitted[0])
    expect(lines).toMatchObject([{ device_id: 'till-1' }, { device_id: 'till-2' }])
    expect(lines.map(({ id }) => String(id).slice(-4))).toEqual(['0000', '0001'])
    const devices = await db
      .selectFrom('edge_devices')
      .select(['device_id', 'last_seen_at'])
      .where('org_id', '=', org_id)
      .orderBy('device_id')
      .execute()
    expect(devices).toEqual([
      { device_id: 'till-1', last_seen_at: NOON },
      { device_id: 'till-2', last_seen_at: NOON },
    ])
  })

  it('loses only the entries that are refused, and says how many and why', async () => {
    const { send, submitted } = ingestOf()
    const receipt = await send(
      ENTRY,
      7,
      ENTRY,
      { ...ENTRY, level: 'loud' },
      { ...ENTRY, tags: [1] },
    )
    expect(receipt).toMatchObject({
      received: 5,
      processed: 2,
      message: 'Logs received; 3 of 5 refused, the first: logs.1 must be object',
    })
    expect(linesOf(submitted[0])).toHaveLength(2)
    expect(await send({ ...ENTRY, level: 'loud' }, ENTRY)).toMatchObject({
      message:
        'Logs received; 1 of 2 refused, the first: logs.0.level must be one of debug, info, warn, error, fatal',
    })
  })

  it('with nothing valid is refused, with the entry and the field', async () => {
    const { send, submitted } = ingestOf()
    expect(await refused(send({ ...ENTRY, error: { type: 1 } }, {}))).toEqual({
      status: 400,
      message: 'logs.0.error.type must be string',
      content: { field: 'logs.0.error.type' },
    })
    expect(submitted).toEqual([])
  })

  it.each([
    [undefined, 'body must be object'],
    [null, 'body must be object'],
    ['logs', 'body must be object'],
    [[ENTRY], 'body must be object'],
    [{}, 'logs is required'],
    [{ logs: null }, 'logs must be array'],
    [{ logs: { 0: ENTRY } }, 'logs must be array'],
    [{ logs: [] }, 'logs must not have fewer than 1 items'],
    [
      { logs: Array.from({ length: 1001 }, () => ENTRY) },
      'logs must not have more than 1000 items',
    ],
  ])('has a list of entries (%#)', async (body, message) => {
    const { sendBody } = ingestOf()
    const bytes = body === undefined ? null : body
    expect(await refused(sendBody(bytes))).toEqual({
      status: 400,
      message,
      content: { field: message.split(' ')[0] },
    })
  })

  it('that comes again within 15 minutes is answered the same, and counts again after that', async () => {
    const { send, submitted, wait, org_id } = ingestOf()
    const bad = { ...ENTRY, level: 'loud' }
    const first = await send(ENTRY, bad)
    wait(14 * 60)
    expect(await send(ENTRY, bad)).toEqual({ ...first, is_repeat: true })
    wait(60)
    expect(await send(ENTRY, bad)).toEqual({ ...first, is_repeat: false })
    expect(submitted).toHaveLength(3)
    const usage = await db
      .selectFrom('usage_events')
      .select(['meter', 'quantity', 'cost_units'])
      .where('org_id', '=', org_id)
      .execute()
    const one = { meter: 'edge_log', quantity: 1, cost_units: 10 }
    expect(usage).toEqual([one, one])
  })

  it('writes each of its devices, but not again with every batch', async () => {
    const { send, submitted, wait } = ingestOf()
    await send(ENTRY, ENTRY)
    await send(ENTRY, { ...ENTRY, device_id: 'till-2' })
    wait(30)
    await send(ENTRY)
    const written = submitted.map(({ rows }) => rows.length)
    expect(written).toEqual([1, 1, 1])
  })

  it('may hold half of a surrogate pair, which is replaced everywhere', async () => {
    const { send, submitted } = ingestOf()
    await send({ ...ENTRY, device_id: 'a\ud800', message: '\udc00', tags: ['\udbff'] })
    expect(linesOf(submitted[0])).toMatchObject([
      { device_id: 'a\ufffd', message: '\ufffd', tags: ['\ufffd'] },
    ])
    expect(submitted[0]?.rows).toMatchObject([{ row: { device_id: 'a\ufffd' } }])
  })

  it('is refused while too much waits to be stored', async () => {
    const { send } = ingestOf({
      intake: { fullFor: () => 10, submit: () => Promise.reject(new Error('not asked')) },
    })
    expect(await refused(send(ENTRY))).toMatchObject({ status: 429, content: { retry_after: 10 } })
  })

  it('needs credits where they are required, with a live key', async () => {
    const { sendBody } = ingestOf({
      credits_required: true,
      billing: { usageAvailable: () => Promise.resolve(false) },
    })
    expect(await refused(sendBody({ logs: [ENTRY] }))).toMatchObject({ status: 403 })
    expect(await sendBody({ logs: [ENTRY] }, 'test')).toMatchObject({ processed: 1 })
  })

  it('lets others have their turn while it is examined', async () => {
    let turns = 0
    let turnsWhenExamined = 0
    const { send } = ingestOf({
      intake: {
        fullFor: () => undefined,
        submit: () => {
          turnsWhenExamined = turns
          return Promise.reject(new Error('enough'))
        },
      },
    })
    const timer = setInterval(() => {
      turns += 1
    }, 1)
    const stack = Array.from({ length: 300 }, (_, n) => `    at f${n} (/app/f.js:${n}:1)`).join(
      '\n',
    )
    const entry = { ...ENTRY, level: 'error', error: { type: 'E', stack } }
    await expect(send(...Array.from({ length: 1000 }, () => entry))).rejects.toThrow('enough')
    clearInterval(timer)
    expect(turnsWhenExamined).toBeGreaterThan(1)
  })
})
