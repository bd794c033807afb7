import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { ownDatabase } from '../../../../../test/database.ts'
import { AppError } from '../../../../platform/http/errors.ts'
import { createIds } from '../../../../platform/ids.ts'
import { createLog } from '../../../../platform/log.ts'
import { createTurns } from '../../../../platform/turns.ts'
import { createGroupingBudget, createIntake, type IntakeBatch } from '../../../intake/index.ts'
import { logsOf } from '../row.ts'
import { createLogIngest, type LogIngestOptions } from './service.ts'

// A database of its own, because usage of organizations that do not exist could not be posted.
const db = ownDatabase()
const newId = createIds()
const NOON = new Date('2026-03-01T12:00:00.000Z')
const ENTRY = { device_id: 'till-1', level: 'info', message: 'Started' }

function ingestOf(options: Partial<LogIngestOptions> = {}) {
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
      nextTurn: intake.nextTurn,
      grouping: intake.grouping,
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
    ...options,
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

const logsIn = (batch: IntakeBatch | undefined) => logsOf(batch?.payload ?? Buffer.alloc(0))

describe('a batch of logs', () => {
  it('is stored as it was sent', async () => {
    const { send, submitted, org_id } = ingestOf()
    const receipt = await send(ENTRY, { ...ENTRY, device_id: 'till-2' })
    expect(receipt).toEqual({
      received: 2,
      processed: 2,
      message: 'Logs received',
      errors: [],
      is_repeat: false,
    })
    const logs = logsIn(submitted[0])
    expect(logs).toMatchObject([{ device_id: 'till-1' }, { device_id: 'till-2' }])
    expect(logs.map(({ id }) => id.slice(-4))).toEqual(['0000', '0001'])
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

  it('loses only invalid entries and reports their number and the first reason', async () => {
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
      message:
        'Logs received; 3 of 5 refused, the first: logs.1 must be object; also refused: logs.3.level, logs.4.tags.0',
    })
    expect(logsIn(submitted[0])).toHaveLength(2)
    const { message } = await send(ENTRY, ...Array.from({ length: 999 }, () => ({})))
    expect(message).toMatch(/999 of 1000 refused, the first: logs\.1\.device_id is required; /)
    expect(message).toMatch(
      /; also refused: logs\.2\.device_id, .*, logs\.20\.device_id and 979 more$/,
    )
    expect(await send({ ...ENTRY, level: 'loud' }, ENTRY)).toMatchObject({
      message:
        'Logs received; 1 of 2 refused, the first: logs.0.level must be one of debug, info, warn, error, fatal',
    })
  })

  it('without a valid entry is refused, naming the entry and the field', async () => {
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
  ])('without a valid list of entries is refused (%#)', async (body, message) => {
    const { sendBody } = ingestOf()
    const bytes = body === undefined ? null : body
    expect(await refused(sendBody(bytes))).toEqual({
      status: 400,
      message,
      content: { field: message.split(' ')[0] },
    })
  })

  it('repeated within 15 minutes gets the same numbers and is charged again only after that', async () => {
    const { send, submitted, wait, org_id } = ingestOf()
    const bad = { ...ENTRY, level: 'loud' }
    const first = await send(ENTRY, bad)
    wait(14 * 60)
    expect(await send(ENTRY, bad)).toEqual({
      ...first,
      message: `${first.message}; the same body was received in the last 15 minutes and is stored once. A timestamp in every entry makes bodies distinct`,
      is_repeat: true,
    })
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

  it('writes each device, but not with every batch', async () => {
    const { send, submitted, wait } = ingestOf()
    await send(ENTRY, ENTRY)
    await send(ENTRY, { ...ENTRY, device_id: 'till-2' })
    wait(30)
    await send(ENTRY)
    const written = submitted.map(({ rows }) => rows.length)
    expect(written).toEqual([1, 1, 1])
  })

  it('may contain lone surrogates, which are replaced everywhere', async () => {
    const { send, submitted } = ingestOf()
    await send({ ...ENTRY, device_id: 'a\ud800', message: '\udc00', tags: ['\udbff'] })
    expect(logsIn(submitted[0])).toMatchObject([
      { device_id: 'a\ufffd', message: '\ufffd', tags: ['\ufffd'] },
    ])
    expect(submitted[0]?.rows).toMatchObject([{ row: { device_id: 'a\ufffd' } }])
  })

  it('is refused while too much waits in the spool', async () => {
    const { send } = ingestOf({
      intake: {
        fullFor: () => 10,
        nextTurn: createTurns(),
        grouping: createGroupingBudget(),
        submit: () => Promise.reject(new Error('must not be called')),
      },
    })
    expect(await refused(send(ENTRY))).toMatchObject({ status: 429, content: { retry_after: 10 } })
  })

  it('of a live key needs credits if they are required', async () => {
    const { sendBody } = ingestOf({
      credits_required: true,
      billing: { usageAvailable: () => Promise.resolve(false) },
    })
    expect(await refused(sendBody({ logs: [ENTRY] }))).toMatchObject({ status: 403 })
    expect(await sendBody({ logs: [ENTRY] }, 'test')).toMatchObject({ processed: 1 })
  })

  it('does not block the event loop while it is validated', async () => {
    let turns = 0
    let turnsWhenValidated = 0
    const { send } = ingestOf({
      intake: {
        fullFor: () => undefined,
        nextTurn: createTurns(),
        grouping: createGroupingBudget(),
        submit: () => {
          turnsWhenValidated = turns
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
    expect(turnsWhenValidated).toBeGreaterThan(1)
  })
})
