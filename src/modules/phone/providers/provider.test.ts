/** Guarantees of every adapter of the phone ports; each runs against its emulator. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { example as camaraExample, startCamara } from '../../../../emulators/camara.ts'
import { type DnsScenario, example as dnsExample, startDns } from '../../../../emulators/dns.ts'
import { type Lookup, unknown } from '../../../platform/lookup.ts'
import { createCamaraSimSwap } from './camara-sim-swap.ts'
import { createEnumPortability, enumName } from './enum-portability.ts'
import { isE164, type PortingFact, type SimSwapFact } from './provider.ts'

type Trouble = 'none' | 'silent' | 'late' | 'failing'

/** An adapter with an emulator whose failures can be controlled. */
type Subject = {
  lookup(
    phone: string,
    timeoutMs: number,
    signal?: AbortSignal,
  ): Promise<Lookup<SimSwapFact | PortingFact>>
  put(trouble: Trouble): void
  close(): Promise<void>
}

const KNOWN_PHONE = '+12025550100'
const UNKNOWN_PHONE = '+12025550999'
const LATE_MS = 2_000

async function camaraSubject(): Promise<Subject> {
  const camara = await startCamara({ port: 0, scenario: camaraExample })
  const troubles = {
    none: {},
    silent: { fault: 'hang' },
    late: { latency_ms: LATE_MS },
    failing: { fault: '500' },
  } as const
  return {
    lookup: (phone, timeoutMs, signal) =>
      createCamaraSimSwap({
        baseUrl: camara.sim_swap_url,
        tokenUrl: camara.token_url,
        clientId: 'vigil',
        auth: { clientSecret: 'emulated-secret' },
        timeoutMs,
        now: () => new Date(),
      })(phone, signal),
    put: (trouble) => camara.setScenario({ ...camaraExample, ...troubles[trouble] }),
    close: () => camara.close(),
  }
}

async function enumSubject(): Promise<Subject> {
  const dns = await startDns({ port: 0, scenario: dnsExample })
  const name = enumName(KNOWN_PHONE, 'e164.arpa')
  const troubles: Record<Trouble, DnsScenario> = {
    none: { names: {} },
    silent: { fault: 'timeout', names: {} },
    late: { latency_ms: LATE_MS, names: {} },
    failing: { fault: 'servfail', names: {} },
  }
  const names = { [name]: dnsExample.names[name] ?? {} }
  return {
    lookup: (phone, timeoutMs, signal) =>
      createEnumPortability({ suffix: 'e164.arpa', servers: [dns.address], timeoutMs })(
        phone,
        signal,
      ),
    put: (trouble) => dns.setScenario({ ...troubles[trouble], names }),
    close: () => dns.close(),
  }
}

describe.each([
  ['CAMARA SIM Swap', camaraSubject],
  ['ENUM portability', enumSubject],
])('%s', (_, start) => {
  let subject: Subject

  beforeAll(async () => {
    subject = await start()
  })

  afterAll(() => subject.close())

  test('returns the facts of its source', async () => {
    subject.put('none')
    expect((await subject.lookup(KNOWN_PHONE, 5_000)).known).toBe(true)
  })

  test('a number that the source does not know is not applicable', async () => {
    subject.put('none')
    expect(await subject.lookup(UNKNOWN_PHONE, 5_000)).toEqual(unknown('not_applicable'))
  })

  test.each(['', 'garbage', '12025550100', '+0123456', `+1${'0'.repeat(20)}`])(
    'a text that is not a phone number is not applicable: %j',
    async (phone) => {
      subject.put('none')
      expect(await subject.lookup(phone, 5_000)).toEqual(unknown('not_applicable'))
    },
  )

  test.each(['silent', 'late'] as const)('a %s source is a timeout', async (trouble) => {
    subject.put(trouble)
    expect(await subject.lookup(KNOWN_PHONE, 80)).toEqual(unknown('timeout'))
  })

  test('a failing source is a server error, and the next look-up succeeds', async () => {
    subject.put('failing')
    expect(await subject.lookup(KNOWN_PHONE, 5_000)).toEqual(unknown('server_error'))
    subject.put('none')
    expect((await subject.lookup(KNOWN_PHONE, 5_000)).known).toBe(true)
  })

  test('an aborted signal ends a look-up, before and during it', async () => {
    subject.put('silent')
    expect(await subject.lookup(KNOWN_PHONE, 60_000, AbortSignal.abort())).toEqual(
      unknown('timeout'),
    )
    const controller = new AbortController()
    const answer = subject.lookup(KNOWN_PHONE, 60_000, controller.signal)
    controller.abort()
    expect(await answer).toEqual(unknown('timeout'))
  })

  test('an unreachable source is unknown and does not throw', async () => {
    const gone = await start()
    await gone.close()
    expect((await gone.lookup(KNOWN_PHONE, 300)).known).toBe(false)
  })
})

describe('isE164', () => {
  test.each(['+12025550100', '+34666', '+123456789012345'])('%s is', (phone) => {
    expect(isE164(phone)).toBe(true)
  })

  test.each(['12025550100', '+0202555', '+1234', '+1234567890123456', '+1 202', '+1202\n'])(
    '%j is not',
    (phone) => {
      expect(isE164(phone)).toBe(false)
    },
  )
})
