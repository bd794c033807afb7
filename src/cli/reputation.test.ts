import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { useHarness } from '../../test/harness.ts'
import { useCommands } from '../../test/support/commands.ts'
import { newPhone } from '../../test/support/samples.ts'
import { confirmFraud } from '../../test/support/voices.ts'
import type { Explanation } from '../modules/reputation/index.ts'
import { confirm, type Io } from './io.ts'

const harness = useHarness()
const { vigil, vigilJson } = useCommands()
const NO_ONE = '01a1f716-c360-7b08-aad8-533adec87a22'

async function accusers(count: number, phone: string): Promise<string[]> {
  const ids: string[] = []
  for (let n = 0; n < count; n += 1) {
    const { keys, org_id } = await harness().createTenant()
    const report = { phone, outcome: 'fraud' }
    await harness().post('/v1/check/phone/report', report, { key: keys.live_secret })
    ids.push(org_id)
  }
  return ids
}

const run = async (...args: string[]) => await vigil('reputation', ...args)
const explain = async (...args: string[]) =>
  await vigilJson<Explanation>('reputation', 'explain', ...args)

describe('vigil reputation', () => {
  it('explains who said what, and lets the operator decide which of them count', async () => {
    const phone = newPhone()
    const [first = '', second = ''] = await accusers(2, phone)
    const today = new Date().toISOString().slice(0, 10)
    expect((await run('explain', 'phone', phone)).stdout).toBe(
      [
        'Score for an organization without an opinion: 0',
        'Independent voices: 0; needed: 2',
        `${first}  Test shop  bad 1.00  good 0.00  ${today}  new  does not count: too young`,
        `${second}  Test shop  bad 1.00  good 0.00  ${today}  new  does not count: too young`,
        '',
      ].join('\n'),
    )
    for (const org of [first, second]) {
      expect((await run('trust', org)).stdout).toBe('Opinions of Test shop count for others\n')
    }
    expect(await explain('phone', phone)).toMatchObject({
      shared_score: 60,
      voices: 2,
      opinions: [
        { org_id: first, counts: true, why_not: null },
        { org_id: second, counts: true },
      ],
    })
    expect(await vigilJson('reputation', 'distrust', first)).toEqual({
      org_id: first,
      is_trusted: false,
    })
    const { stdout } = await run('explain', 'phone', phone)
    expect(stdout).toContain('0 days old  does not count: not trusted\n')
    expect((await run('reset', first)).stdout).toBe(
      'Age and requests decide whether opinions of Test shop count\n',
    )
    expect((await explain('phone', phone)).opinions[0]?.why_not).toBe('too_young')
  })

  it('knows devices, addresses, and profiles with an email address or of an organization', async () => {
    const tenant = await harness().createTenant()
    const { org_id } = tenant
    const external_id = `${randomUUID()}@Shop.example`
    const person = { external_id, fingerprint_hash: randomUUID(), ip_hash: randomUUID() }
    await confirmFraud(harness(), tenant, person)
    await confirmFraud(harness(), tenant, { external_id: '4711' }, 'test')
    const { fingerprint_hash, ip_hash } = person
    for (const identity of [
      ['device', fingerprint_hash],
      ['ip', ip_hash],
      ['email', external_id.toLowerCase()],
      ['profile', external_id],
      ['profile', '4711', '--org', org_id, '--mode', 'test'],
    ]) {
      expect((await explain(...identity)).opinions).toMatchObject([{ org_id }])
    }
    expect((await run('explain', 'device', fingerprint_hash, '--mode', 'test')).stdout).toBe(
      'No organization has an opinion\n',
    )
  })

  it('deletes opinions once confirmed', async () => {
    const phone = newPhone()
    const [org = ''] = await accusers(1, phone)
    await accusers(1, newPhone())
    const one = ['revoke', org, '--kind', 'phone', '--value', phone]
    expect(await run(...one)).toMatchObject({
      status: 1,
      stderr: 'Delete 1 opinions of Test shop? Confirm with --yes\n',
    })
    expect((await explain('phone', phone)).opinions).toHaveLength(1)
    expect((await run(...one, '--yes')).stdout).toBe('1 opinions of Test shop deleted\n')
    expect((await explain('phone', phone)).opinions).toEqual([])
    expect(await vigilJson('reputation', 'revoke', org)).toEqual({ org_id: org, revoked: 0 })
  })

  it.each([
    [['trust', NO_ONE], `Organization ${NO_ONE} does not exist`],
    [['revoke', 'x', '--yes'], 'Organization x does not exist'],
    [['revoke', NO_ONE, '--kind', 'phone'], '--kind and --value belong together'],
    [['explain', 'email', 'ann'], 'ann is not an email address'],
    [['explain', 'profile', '7'], '--org is required: ids of profiles are unique per organization'],
  ])('refuses %j', async (args, message) => {
    expect(await run(...args)).toMatchObject({ status: 1, stderr: `${message}\n` })
  })
})

describe('a question', () => {
  const io = (answer: string): Io => ({
    working_folder: '',
    environment: {},
    stdout: () => undefined,
    stderr: () => undefined,
    ask: () => Promise.resolve(answer),
  })

  it('is confirmed by yes only', async () => {
    await confirm(io(' Yes '), 'Delete?')
    for (const answer of ['', 'y', 'no']) {
      await expect(confirm(io(answer), 'Delete?')).rejects.toThrow('Nothing was changed')
    }
  })
})
