import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Harness, openHarness } from '../../../test/harness.ts'
import { withoutLimits } from '../../../test/support/calls.ts'
import { useCommands } from '../../../test/support/commands.ts'

const { vigil, vigilJson } = useCommands()
let harness: Harness
let url = ''
const folder = mkdtempSync(join(tmpdir(), 'vigil-apply-'))

beforeAll(async () => {
  harness = await openHarness({
    settings: { ...withoutLimits(), VIGIL_WEBHOOK_ALLOW: '127.0.0.0/8' },
  })
  url = await harness.app.listen({ host: '127.0.0.1', port: 0 })
})
afterAll(async () => {
  await harness.close()
  rmSync(folder, { recursive: true })
})

const FILE = `
members:
  - {email: Ann@shop.example, role: admin}
api_keys:
  - {name: Till backend, type: live_secret, note: Rolled each year, scopes: ["orders:write", "checks:write"], networks: [192.0.2.0/24]}
order_rules:
  - {mode: live, automatic: true, overrides: {weights: {velocity: 0.5}}, custom_rules: [
      {name: Large, applies_to: order, when: order.amount_cents > 100000, effect: review},
      {name: Shared, applies_to: check, when: device.people > 3, effect: points, value: 20, signal: device},
      {name: Unknown, applies_to: cashier_action, state: on, when: order.is_named && !order.is_known, effect: alert},
    ]}
list_entries:
  - {mode: live, list: block, kind: domain, value: evil.example, reason: Chargebacks}
  - {mode: test, list: watch, kind: country, value: DE, expires_at: 2100-01-01T00:00:00Z}
alert_rules:
  - {name: Card readers fail, condition: {level: "error,fatal", category: payment}, threshold: 20, window_minutes: 5}
push_applications:
  - {name: Shop, environment: live, android_package_name: com.example.shop}
notification_channels:
  - {name: Phones, kind: push, application: Shop, external_user_ids: [desk-1]}
notification_routes:
  - {subject: credits_low, channels: [Phones], min_severity: warning, repeat_minutes: 60}
  - {alert_rule: Card readers fail, channels: [Phones], min_severity: notice}
webhook_endpoints:
  - {url: "https://127.0.0.1:8443/hooks", mode: test, events: [order.fraud.detected], status: paused, rate_per_second: 5, filter: {match: all, conditions: [{field: data.risk.risk_score, operator: gte, value: 80}]}}
device_policies:
  - {name: Tills, management_mode: fully_managed, policy_json: {playStoreMode: WHITELIST}}
device_groups:
  - {name: Stores in Bern, policy: Tills}
saved_searches:
  - {name: Failed payments, filters: {level: error, category: payment}}
log_dashboard:
  - panels:
      - {name: Payments by store, view: {show: chart, group: environment}}
      - {name: Errors, view: {level: error}}
      - {name: Errors, view: {level: fatal}}
case_settings:
  - {sla_hours: 8, reason_codes: [{code: stolen_card, label: Stolen card}]}
credit_settings:
  - {low_balance_credits: 250.5}
`

type Applied = { steps: { action: string; kind: string; name: string }[]; drift: unknown[] }

async function createShop() {
  const { org_id } = await harness.createTenant('business')
  const token = await harness.signIn(org_id, 'owner')
  const token_file = join(folder, `token-${org_id}`)
  writeFileSync(token_file, `${token}\n`)
  let secrets = 0
  const of = ['--org', org_id, '--url', url, '--token-file', token_file]
  const write = (text: string) => {
    const path = join(folder, `${org_id}.yaml`)
    writeFileSync(path, text)
    return path
  }
  return {
    org_id,
    token,
    of,
    write,
    apply: async (text: string, ...options: string[]) => {
      secrets += 1
      const file = join(folder, `secrets-${org_id}-${secrets}`)
      const args = ['apply', write(text), ...of, '--yes', '--secrets', file, ...options]
      return { file, ...(await vigilJson<Applied>(...args)) }
    },
    exported: async () => (await vigil('export', 'config', ...of)).stdout,
  }
}

/** Without the lines about the owner of the test organization, who has another address each time. */
const withoutOwner = (text: string) => text.replace(/ {2}- email: \S+\n {4}role: owner\n/, '')

describe('a configuration file', () => {
  it('is applied, and exported and applied to an empty organization it is the same', async () => {
    const shop = await createShop()
    const { steps, file } = await shop.apply(FILE, '--revision', '4f2a91c')
    expect(steps.map(({ action, name }) => `${action} ${name}`)).toEqual([
      'create ann@shop.example',
      'create Till backend',
      'change live',
      'create live/block/domain/evil.example',
      'create test/watch/country/DE',
      'create Card readers fail',
      'create Shop/live',
      'create Phones',
      'create credits_low',
      'create log_alert/Card readers fail',
      'create test https://127.0.0.1:8443/hooks',
      'create Tills',
      'create Stores in Bern',
      'create Failed payments',
      'change logs',
      'change cases',
      'change credits',
    ])
    const kept = readFileSync(file, 'utf8').trim().split('\n')
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(kept.map((line) => (JSON.parse(line) as { kind: string }).kind)).toEqual([
      'members',
      'api_keys',
      'webhook_endpoints',
    ])
    const first = await shop.exported()
    expect(first).not.toContain('whsec_')
    const other = await createShop()
    await other.apply(withoutOwner(first))
    expect(withoutOwner(await other.exported())).toBe(withoutOwner(first))
    expect(await shop.apply(FILE)).toMatchObject({ steps: [], drift: [] })

    const audit = await harness.get<{ entries: { action: string; details: object }[] }>(
      `/console/api/audit?org_id=${shop.org_id}&limit=100`,
      { token: shop.token },
    )
    const recorded = audit.body.content.entries.filter(({ action }) =>
      action.startsWith('configuration.'),
    )
    expect(recorded).toHaveLength(17)
    expect(recorded[0]?.details).toMatchObject({ revision: '4f2a91c', kind: 'credit_settings' })
    const items = await harness.get<{ items: object[] }>(
      `/console/api/configuration?org_id=${shop.org_id}`,
      { token: shop.token },
    )
    expect(items.body.content.items).toHaveLength(17)
  })

  it('shows what would change without changing it', async () => {
    const shop = await createShop()
    const path = shop.write(FILE)
    const { stdout } = await vigil('apply', path, ...shop.of, '--dry-run')
    expect(stdout).toContain('+ log alert rule "Card readers fail"\n')
    expect(stdout).toContain(
      '~ order rules "live"\n    automatic: false -> true\n    overrides: {} -> {"weights":{"velocity":0.5}}\n',
    )
    expect(withoutOwner(await shop.exported())).toBe('members:\n')
  })

  it('keeps what the console changed, and refuses what both changed', async () => {
    const shop = await createShop()
    const rule = (threshold: number, window = 5) =>
      `alert_rules: [{name: Errors, condition: {}, threshold: ${threshold}, window_minutes: ${window}}]`
    await shop.apply(rule(3))
    const owner = { token: shop.token }
    const { body } = await harness.get<{ id: string }[]>(
      `/v1/edge/alerts?org_id=${shop.org_id}`,
      owner,
    )
    const [stored] = body.content
    await harness.call({
      method: 'DELETE',
      path: `/v1/edge/alerts?org_id=${shop.org_id}&id=${stored?.id ?? ''}`,
      ...owner,
    })
    const changed = { name: 'Errors', condition: {}, threshold: 9, window_minutes: 5 }
    await harness.post('/v1/edge/alerts', { org_id: shop.org_id, ...changed }, owner)
    expect(await shop.apply(rule(3))).toMatchObject({
      steps: [],
      drift: [{ name: 'Errors', differences: [{ member: 'threshold', file: 3, live: 9 }] }],
    })
    const refused = await vigil('apply', shop.write(rule(4)), ...shop.of, '--yes')
    expect(refused.status).toBe(1)
    expect(refused.stderr).toContain('x log alert rule "Errors": changed in')
    expect(refused.stderr).toContain('threshold: 4 in the file, now 9')
    await shop.apply(rule(4), '--overwrite')
    expect(await shop.exported()).toContain('threshold: 4')
  })

  it('deletes what it no longer has only with --prune, and never what it did not set', async () => {
    const shop = await createShop()
    const owner = { token: shop.token }
    const own = { name: 'By hand', condition: {}, threshold: 1, window_minutes: 5 }
    await harness.post('/v1/edge/alerts', { org_id: shop.org_id, ...own }, owner)
    await shop.apply(
      'alert_rules: [{name: Errors, condition: {}, threshold: 3, window_minutes: 5}]',
    )
    expect(await shop.apply('{}')).toMatchObject({ steps: [], left: [{ name: 'Errors' }] })
    expect(await shop.apply('{}', '--prune')).toMatchObject({
      steps: [{ action: 'delete', name: 'Errors' }],
    })
    const text = await shop.exported()
    expect(text).toContain('By hand')
    expect(text).not.toContain('Errors')
  })

  it('changes nothing when secrets have no place, a reference is not set or the token is refused', async () => {
    const shop = await createShop()
    const keys = shop.write('api_keys: [{name: A, type: test_secret}]')
    expect((await vigil('apply', keys, ...shop.of, '--yes')).stderr).toContain('--secrets')
    const channel = shop.write('notification_channels: [{name: A, kind: slack, url: "${NOT_SET}"}]')
    expect((await vigil('apply', channel, ...shop.of, '--yes')).stderr).toContain(
      'NOT_SET is not set',
    )
    writeFileSync(join(folder, 'bad'), 'x')
    const bad = ['--org', shop.org_id, '--url', url, '--token-file', join(folder, 'bad')]
    expect((await vigil('export', 'config', ...bad)).stderr).toContain('The token was refused')
    const off = [
      '--org',
      shop.org_id,
      '--url',
      'http://127.0.0.1:9',
      '--token-file',
      join(folder, 'bad'),
    ]
    expect((await vigil('export', 'config', ...off)).stderr).toContain(
      'http://127.0.0.1:9 cannot be used: unreachable',
    )
    expect(withoutOwner(await shop.exported())).toBe('members:\n')
  })

  it('needs a confirmation before something changes', async () => {
    const shop = await createShop()
    const path = shop.write('list_entries: [{mode: live, list: block, kind: country, value: DE}]')
    const { status, stderr } = await vigil('apply', path, ...shop.of)
    expect(status).toBe(1)
    expect(stderr).toContain('+ list entry "live/block/country/DE"')
    expect(stderr).toContain('Confirm with --yes')
  })

  it('is exported on the machine of the service without a token', async () => {
    const shop = await createShop()
    const { stdout } = await vigil('export', 'config', '--org', shop.org_id, '--url', url)
    expect(stdout).toContain('role: owner')
  })
})
