import { afterEach, describe, expect, it } from 'vitest'
import { startApns } from '../../../../emulators/apns/index.ts'
import { createAuthority } from '../../../../emulators/certificate.ts'
import { createLog } from '../../../platform/log.ts'
import { createApnsSender } from './apns.ts'
import type { AppleMessage, SendResult } from './port.ts'

const PHONES = 600
const ATTEMPTS_MAX = 20

const authority = createAuthority()
const cleanups: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const cleanUp of cleanups.splice(0).toReversed()) await cleanUp()
})

async function setUp() {
  const emulator = await startApns({ port: 0, authority, environment: 'production' })
  const sender = createApnsSender({
    urls: { production: emulator.url, sandbox: emulator.url },
    ca: authority.cert,
    log: createLog('silent'),
    deadline_ms: 10_000,
    now: () => new Date(),
  })
  cleanups.push(emulator.close, () => sender.close(0))
  const { team_id, key_id, private_key } = emulator.control.signingKey()
  const credential = { team_id, key_id, private_key, environment: 'production' as const }
  return { control: emulator.control, sender, credential }
}

const messageTo = (token: string, index: number): AppleMessage => ({
  recipient_id: `0198c3a2-7b1e-7c3d-9a54-${String(index).padStart(12, '0')}`,
  message_id: '0198c3a2-7b1e-7c3d-9a54-3f2b8e6d1c08',
  token,
  bundle_id: 'com.example.app',
  title: 'Hello',
  data: {},
  priority: 'high',
})

describe('messages that are retried until they are accepted', () => {
  it('arrive despite refusals, resets, lost answers and GOAWAY, and twice only after an ambiguous result', async () => {
    const { control, sender, credential } = await setUp()
    control.setFaults({
      seed: 7,
      refuse_stream_rate: 0.05,
      reset_stream_rate: 0.03,
      lost_stream_rate: 0.03,
      errors: [{ code: 'ServiceUnavailable', rate: 0.03 }],
      goaway: { after_streams: 150, reason: 'Shutdown' },
    })
    const { signal } = new AbortController()
    let doubts = 0
    const sendUntilAccepted = async (token: string, index: number): Promise<SendResult> => {
      for (let attempts = 1; ; attempts += 1) {
        const result = await sender.send(messageTo(token, index), credential, { signal })
        if (result.kind === 'accepted' || attempts === ATTEMPTS_MAX) return result
        if (result.kind !== 'retry') return result
        if (result.is_ambiguous) doubts += 1
      }
    }
    const phones = control.makePhones(PHONES)
    const results = await Promise.all(phones.map(sendUntilAccepted))
    expect(results.filter(({ kind }) => kind !== 'accepted')).toEqual([])
    const truth = control.truth()
    expect(truth.messages).toHaveLength(PHONES)
    expect(doubts).toBeGreaterThan(0)
    expect(truth.repeated).toBeGreaterThan(0)
    expect(truth.repeated).toBeLessThanOrEqual(doubts)
    expect(control.traffic().goaways).toBeGreaterThan(1)
  })
})
