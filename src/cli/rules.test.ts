import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { useHarness } from '../../test/harness.ts'
import { useCommands } from '../../test/support/commands.ts'
import { storeDecidedOrders } from '../../test/support/decided-orders.ts'

const harness = useHarness()
const { vigil, vigilJson } = useCommands()
const NO_ONE = '01a1f716-c360-7b08-aad8-533adec87a22'

const folder = mkdtempSync(join(tmpdir(), 'vigil-rules-'))
afterAll(() => rmSync(folder, { recursive: true }))

function rulesFile(content: unknown): string {
  const file = join(folder, 'rules.json')
  writeFileSync(file, JSON.stringify(content))
  return file
}

it('rules are shown, applied and rolled back', async () => {
  const { org_id } = await harness().createTenant()
  const of = ['--org', org_id]
  expect((await vigil('rules', 'show', ...of)).stdout).toBe('The defaults are active\n')
  const file = rulesFile({ weights: { velocity: 0.5 } })
  const applied = await vigil('rules', 'apply', file, ...of, '--note', 'calmer', '--yes')
  expect(applied.stdout).toBe('Version 1 is active\n  weights.velocity  0.75 → 0.5\n')
  const shown = await vigilJson('rules', 'show', ...of)
  expect(shown).toMatchObject({
    version: 1,
    overrides: { weights: { velocity: 0.5 } },
    versions: [{ version: 1, applied_by: 'cli', note: 'calmer' }],
  })
  const { stdout } = await vigil('rules', 'show', ...of)
  expect(stdout).toMatch(
    /^Version 1 is active\n {2}weights\.velocity {2}0\.5 \(default 0\.75\)\n1 {2}\S+Z {2}cli {2}calmer\n$/,
  )
  expect(await vigilJson('rules', 'rollback', '0', ...of)).toEqual({
    version: 2,
    changes: [{ section: 'weights', name: 'velocity', from: 0.5, to: 0.75 }],
    custom_changes: [],
  })
  expect((await vigil('rules', 'show', ...of)).stdout).toContain('rolled back to 0')
  const test = await vigilJson('rules', 'show', ...of, '--mode', 'test')
  expect(test).toMatchObject({ version: 0, applied: null, versions: [] })
  const entries = await harness()
    .stores.db.selectFrom('audit_log')
    .select(['action', 'actor_user_id'])
    .where('org_id', '=', org_id)
    .where('action', 'like', 'rules.%')
    .orderBy('id')
    .execute()
  expect(entries).toEqual([
    { action: 'rules.applied', actor_user_id: null },
    { action: 'rules.rolled_back', actor_user_id: null },
  ])
})

it('invalid requests fail with a message', async () => {
  const { org_id } = await harness().createTenant()
  const file = rulesFile({})
  const of = ['--org', org_id]
  const tries: [string[], string][] = [
    [['show', '--org', NO_ONE], `Organization ${NO_ONE} does not exist`],
    [['apply', file, ...of, '--yes'], 'These rules are already active'],
    [['apply', 'gone.json', ...of], 'Cannot use the rules gone.json: ENOENT'],
    [['apply', ...of], 'Name either a file or --learned'],
    [['apply', file, '--learned', ...of], 'Name either a file or --learned'],
    [['apply', '--learned', ...of], 'No weights were learned'],
    [['rollback', '3', ...of], 'This version does not exist'],
    [['rollback', 'x', ...of], 'x is not a version number'],
    [
      ['apply', file, ...of, '--yes', '--note', 'x'.repeat(1001)],
      '--note must not be longer than 1000',
    ],
  ]
  for (const [args, message] of tries) {
    const { status, stderr } = await vigil('rules', ...args)
    expect({ status, stderr }).toEqual({
      status: 1,
      stderr: expect.stringContaining(message) as string,
    })
  }
})

it('learning reports why there are no weights, and whether they are applied automatically', async () => {
  const { org_id } = await harness().createTenant()
  const learned = await vigil('rules', 'learn', '--org', org_id, '--automatic', 'on')
  expect(learned.stdout.split('\n').slice(0, 3)).toEqual([
    'Too few confirmed frauds to learn from',
    'Learned from 0 confirmed frauds (at least 160) and about 0 other orders',
    'Applied automatically when they are better',
  ])
  expect(await vigilJson('rules', 'learn', '--org', org_id, '--automatic', 'off')).toMatchObject({
    outcome: 'too_few',
    frauds_min: 160,
    automatic: false,
    weights: [],
    trial: null,
    calibration: [],
  })
  expect(await vigilJson('rules', 'show', '--org', org_id)).toMatchObject({
    learning: { outcome: 'too_few' },
  })
})

it('learned weights are shown, applied and rolled back', async () => {
  const { org_id } = await harness().createTenant()
  await storeDecidedOrders(harness().stores.db, { org_id, mode: 'live' })
  const of = ['--org', org_id]
  const { stdout } = await vigil('rules', 'learn', ...of)
  expect(stdout).toContain('The learned weights are better than the active ones')
  expect(stdout).toMatch(/location_anomaly {2}shipped 0\.8, active 0\.8, learned 0\.[1-7]/)
  expect(stdout).toMatch(/Of the \d+ frauds and about \d+ other orders since/)
  expect(stdout).toMatch(/Of 100 orders with a score of [ \dto]+, about \d+ were fraud/)
  const applied = await vigil('rules', 'apply', '--learned', ...of)
  expect(applied.stdout).toMatch(
    /^Version 1 is active\n(.|\n)* weights\.location_anomaly {2}0\.8 → 0\./,
  )
  expect(await vigilJson('rules', 'show', ...of)).toMatchObject({
    version: 1,
    learning: { is_active: true },
    versions: [{ note: 'Learned from 165 confirmed frauds' }],
  })
  expect(await vigilJson('rules', 'rollback', '0', ...of)).toMatchObject({ version: 2 })
  expect(await vigilJson('rules', 'show', ...of)).toMatchObject({ learning: { is_active: false } })
})

const LARGE = {
  name: 'Large',
  applies_to: 'order',
  state: 'on',
  when: 'order.amount_cents > 50000',
  effect: 'points',
  value: 20,
}

it('custom rules of a file are checked, applied and listed', async () => {
  const { org_id } = await harness().createTenant()
  const of = ['--org', org_id]
  expect((await vigil('rules', 'list', ...of)).stdout).toBe('No custom rules\n')
  const file = rulesFile({
    custom_rules: [LARGE, { ...LARGE, name: 'Two', when: 'order.amount >' }],
  })
  const fault = 'custom_rules.1.when, character 15: The expression is incomplete'
  expect(await vigil('rules', 'lint', file)).toMatchObject({
    status: 1,
    stderr: expect.stringContaining(fault) as string,
  })
  expect(await vigil('rules', 'apply', file, ...of)).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('custom_rules.1.when: The expression is incomplete') as string,
  })
  rulesFile({ custom_rules: [LARGE] })
  expect((await vigil('rules', 'lint', file)).stdout).toBe('1 custom rule is valid\n')
  const unreplayed = await vigil('rules', 'apply', file, ...of)
  expect(unreplayed).toMatchObject({ status: 1, stdout: '' })
  expect(unreplayed.stderr).toContain('No replay shows what these rules change')
  expect(unreplayed.stderr).toContain('Confirm with --yes')
  const range = ['--from', '2026-01-01T00:00:00Z', '--to', '2026-02-01T00:00:00Z']
  const replayed = await vigil('replay', '--rules', file, ...range, ...of)
  expect(replayed).toMatchObject({ status: 0 })
  const applied = await vigil('rules', 'apply', file, ...of)
  expect(applied.stdout).toBe('Version 1 is active\n  rule added: Large\n')
  expect((await vigil('rules', 'list', ...of)).stdout).toBe(
    'on      order  Large  +20 points\n  order.amount_cents > 50000\n',
  )
  // Numbers alone leave the custom rules as they are.
  await vigil('rules', 'apply', rulesFile({ weights: { velocity: 0.5 } }), ...of, '--yes')
  const { custom_rules } = (await vigilJson('rules', 'list', ...of)) as { custom_rules: object[] }
  expect(custom_rules).toMatchObject([LARGE])
  await vigil('rules', 'rollback', '0', ...of)
  expect((await vigil('rules', 'list', ...of)).stdout).toBe('No custom rules\n')
})
