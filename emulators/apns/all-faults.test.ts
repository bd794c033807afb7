import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createSender, providerToken, type Sender } from '../../test/support/apns-sender.ts'
import { createAuthority } from '../certificate.ts'
import { type ApnsEmulator, startApns } from './index.ts'

const REFUSED_STREAM = 7
const ROUNDS = 60
const PER_ROUND = 30
let emulator: ApnsEmulator

beforeAll(async () => {
  emulator = await startApns({ port: 0, authority: createAuthority(), environment: 'sandbox' })
})
afterAll(() => emulator.close())

/** A session that an error destroyed is not always closed. */
const hasEnded = ({ client: { session } }: Sender): boolean => session.closed || session.destroyed

test('amid all faults, messages answered 200 are accepted, and refused messages are not', async () => {
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
  const sendOne = async ({ send }: Sender) => {
    const id = randomUUID()
    const { status, rst_code } = await send(token, { 'apns-id': id })
    outcomes.set(id, { status, rst_code })
  }
  let sender: Sender | undefined
  for (let round = 0; round < ROUNDS; round += 1) {
    if (sender === undefined || hasEnded(sender)) {
      sender = await createSender(emulator, provider)
      await sendOne(sender)
    }
    const open = sender
    if (hasEnded(open)) continue
    await Promise.all(Array.from({ length: PER_ROUND }, () => sendOne(open)))
  }
  sender?.client.close()

  const accepted = new Set(control.truth().messages.map(({ id }) => id))
  const all = [...outcomes]
  const answered = all.filter(([, { status }]) => status === 200)
  const refused = all.filter(([, { status, rst_code }]) => {
    return (status !== null && status !== 200) || rst_code === REFUSED_STREAM
  })
  // Node.js 24 ends more streams together with their connection than Node.js 20.
  expect(answered.length).toBeGreaterThan(all.length / 3)
  expect(refused.length).toBeGreaterThan(all.length / 20)
  expect(answered.filter(([id]) => !accepted.has(id))).toEqual([])
  expect(refused.filter(([id]) => accepted.has(id))).toEqual([])
  expect(accepted.size).toBeGreaterThan(answered.length)
  expect(control.truth().accepted).toBe(control.getPhone(token).received)
  expect(control.traffic().goaways).toBeGreaterThan(1)
})
