import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import { parseConfiguration, printConfiguration, readConfigurationFiles } from './files.ts'

const folder = mkdtempSync(join(tmpdir(), 'vigil-configuration-'))
afterAll(() => rmSync(folder, { recursive: true }))

const RULE = {
  name: 'Errors',
  condition: { level: 'error' },
  threshold: 3,
  window_minutes: 5,
  kind: 'count',
  ratio_percent: null,
}

describe('configuration files', () => {
  it('read what they have in the order in which it is applied, with the members that they omit', () => {
    const text = `
device_groups: [{name: Bern}]
alert_rules:
  - {name: Errors, condition: {level: error}, threshold: 3, window_minutes: 5}
`
    expect(parseConfiguration(text, 'a.yaml')).toEqual([
      { kind: 'alert_rules', name: 'Errors', content: RULE, source: 'a.yaml' },
      {
        kind: 'device_groups',
        name: 'Bern',
        content: { name: 'Bern', policy: null },
        source: 'a.yaml',
      },
    ])
    expect(parseConfiguration('', 'empty.yaml')).toEqual([])
  })

  it.each([
    ['alert_rules: [', 'a.yaml:1: '],
    ['alert_rules: {}', 'a.yaml: alert_rules must be array'],
    ['alerts: []', 'a.yaml: the file must not have the member alerts'],
    ['members: [{email: a@b.example}]', "a.yaml: members.0 must have required property 'role'"],
    [
      'members: [{email: a@b.example, role: boss}]',
      'a.yaml: members.0.role must be one of owner, admin, member',
    ],
    [
      'device_groups: [{name: A, color: red}]',
      'a.yaml: device_groups.0 must not have the member color',
    ],
    [
      'notification_channels: [{name: A, kind: slack, url: "https://hooks.example.com/secret"}]',
      'a.yaml: notification_channels.0.url must match pattern',
    ],
    ['a: &a [1,1]\nb: [*a]\n', 'a.yaml: '],
  ])('are refused with the place of the fault: %s', (text, message) => {
    expect(() => parseConfiguration(text, 'a.yaml')).toThrow(message)
  })

  it('are read from all folders, and each item is in one of them', () => {
    mkdirSync(join(folder, 'set', 'deeper'), { recursive: true })
    writeFileSync(join(folder, 'set', 'one.yaml'), printConfiguration([item('A')]))
    writeFileSync(join(folder, 'set', 'deeper', 'two.yml'), printConfiguration([item('B')]))
    writeFileSync(join(folder, 'set', 'notes.txt'), 'not YAML: [')
    const names = () => readConfigurationFiles(folder, 'set').map(({ name }) => name)
    expect(names().sort()).toEqual(['A', 'B'])
    writeFileSync(join(folder, 'set', 'three.yaml'), printConfiguration([item('B')]))
    expect(names).toThrow('The log alert rule "B" is in set/deeper/two.yml and set/three.yaml')
    expect(() => readConfigurationFiles(folder, 'none')).toThrow('Cannot read none')
  })

  it('that are printed read as the same items, with any texts', () => {
    const text = fc.string({ minLength: 1, unit: 'grapheme' })
    fc.assert(
      fc.property(fc.uniqueArray(text, { maxLength: 5 }), text, (names, category) => {
        const items = names.map((name) => item(name, category))
        const read = parseConfiguration(printConfiguration(items), 'a.yaml')
        expect(read.map(({ source: _source, ...rest }) => rest)).toEqual(
          items.toSorted((one, other) => (one.name < other.name ? -1 : 1)),
        )
      }),
    )
  })
})

function item(name: string, category = 'payment') {
  return { kind: 'alert_rules' as const, name, content: { ...RULE, name, condition: { category } } }
}
