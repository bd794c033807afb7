import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { testAuthority } from '../push-testing.ts'
import { type ApnsEmulator, startApns } from './index.ts'
import { createSender, providerToken, type Sender } from './testing.ts'

const REFUSED_STREAM = 7
const ROUNDS = 60
const PER_ROUND = 30
let emulator: ApnsEmulator

beforeAll(async () => {
  emulator = await startApns({ port: 0, authority: testAuthority(), environment: 'sandbox' })
})
afterAll(() => emulator.close())

test('amid all troubles, what was answered 200 was accepted, and what was refused was not', async () => {
  const { control } = emulator
  const provider = providerToken(control.signingKey())
  const [token = ''] = control.makePhones(1)
  control.setFaults({
    seed: 7,
    reset_rate: 0.004,
    reset_stream_rate: 0.02,
    refuse_stream_rate: 0.05,
    lost_answer_rate: 0.004,
    lost_stream_rate: 0.02,
    goaway: { after_streams: 70 },
    errors: [
      { code: 'ServiceUnavailable', rate: 0.05 },
      { code: 'TooManyRequests', rate: 0.05 },
    ],
  })
  const outcomes = new Map<string, { status: number | null; rst_code: number }>()
  const ask = async ({ send }: Sender) => {
    const id = randomUUID()
    const { status, rst_code } = await send(token, { 'apns-id': id })
    outcomes.set(id, { status, rst_code })
  }
  let sender: Sender | undefined
  for (let round = 0; round < ROUNDS; round += 1) {
    if (sender === undefined || sender.client.session.closed || sender.client.session.destroyed) {
      sender = await createSender(emulator, provider)
      await ask(sender)
    }
    const open = sender
    if (open.client.session.closed) continue
    await Promise.all(Array.from({ length: PER_ROUND }, () => ask(open)))
  }
  sender?.client.close()

  const accepted = new Set(control.truth().messages.map(({ id }) => id))
  const all = [...outcomes]
  const answered = all.filter(([, { status }]) => status === 200)
  const refused = all.filter(([, { status, rst_code }]) => {
    return (status !== null && status !== 200) || rst_code === REFUSED_STREAM
  })
  expect(answered.length).toBeGreaterThan(all.length / 2)
  expect(refused.length).toBeGreaterThan(all.length / 20)
  expect(answered.filter(([id]) => !accepted.has(id))).toEqual([])
  expect(refused.filter(([id]) => accepted.has(id))).toEqual([])
  expect(accepted.size).toBeGreaterThan(answered.length)
  expect(control.truth().accepted).toBe(control.getPhone(token).received)
  expect(control.traffic().goaways).toBeGreaterThan(1)
})
