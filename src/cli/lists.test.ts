import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { useHarness } from '../../test/harness.ts'
import { useCommands } from '../../test/support/commands.ts'

const harness = useHarness()
const { vigil, vigilJson } = useCommands()

const folder = mkdtempSync(join(tmpdir(), 'vigil-lists-'))
afterAll(() => rmSync(folder, { recursive: true }))

it('lists are shown, changed, exported and imported', async () => {
  const { org_id } = await harness().createTenant()
  const of = ['--org', org_id]
  const options = ['--reason', 'Stolen', '--expires', '2100-01-01']
  const added = await vigilJson<{ id: string }>(
    'list',
    'add',
    'block',
    'device',
    'fp-0123456789',
    ...of,
    ...options,
  )
  expect(added).toMatchObject({
    list: 'block',
    value: 'fp-0…',
    reason: 'Stolen',
    created_by: 'cli',
    expires_at: '2100-01-01T00:00:00.000Z',
  })
  const { stdout: csv } = await vigil('list', 'export', ...of)
  expect(await vigilJson('list', 'remove', added.id, ...of)).toEqual(added)
  expect((await vigil('list', 'show', ...of)).stdout).toBe('0 entries\n')
  const file = join(folder, 'lists.csv')
  writeFileSync(file, `${csv}block,phone,12,,,,\r\n`)
  expect((await vigil('list', 'import', file, ...of)).stdout).toBe(
    '1 stored, 1 refused\nLine 3: value must be a phone number in E.164, such as +12025550143\n',
  )
  const found = await vigilJson('list', 'show', ...of, '--value', 'fp-0123456789')
  expect(found).toMatchObject({ total: 1, entries: [{ value: 'fp-0…', reason: 'Stolen' }] })
})

it('invalid requests about lists fail with a message', async () => {
  const { org_id } = await harness().createTenant()
  const of = ['--org', org_id]
  const failed = async (...args: string[]) => (await vigil('list', ...args, ...of)).stderr
  expect(await failed('add', 'block', 'email', 'nobody')).toContain('must be an e-mail address')
  expect(await failed('remove', 'x')).toContain('No entry has the id x')
  expect(await failed('import', join(folder, 'none.csv'))).toContain('Cannot read')
})
