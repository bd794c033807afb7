import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { BaseItem, Content, FileItem, LiveItem } from './item.ts'
import { mergeConfiguration, type Plan } from './merge.ts'

const kind = 'alert_rules' as const
const file = (name: string, content: Content): FileItem => ({
  kind,
  name,
  content,
  source: 'a.yaml',
})
const base = (name: string, content: Content): BaseItem => ({ kind, name, content })
const live = (name: string, content: Content): LiveItem => ({
  kind,
  name,
  content,
  id: `id-${name}`,
})
const actions = ({ steps }: Plan) =>
  steps.map(({ action, file: wanted, live: found }) => `${action} ${(wanted ?? found)?.name}`)

describe('the comparison of files with an organization', () => {
  it('creates what is missing and adopts what is equal', () => {
    const plan = mergeConfiguration(
      [file('a', { n: 1 }), file('b', { n: 2 })],
      [],
      [live('b', { n: 2 }), live('c', { n: 3 })],
    )
    expect(actions(plan)).toEqual(['create a', 'adopt b'])
    expect(plan).toMatchObject({ drift: [], left: [], conflicts: [], gone: [] })
  })

  it('applies what the file changed, and keeps what the console changed', () => {
    const plan = mergeConfiguration(
      [file('a', { n: 2, m: 1 })],
      [base('a', { n: 1, m: 1 })],
      [live('a', { n: 1, m: 5 })],
    )
    expect(plan.steps).toMatchObject([
      {
        action: 'change',
        content: { n: 2, m: 5 },
        changes: [{ member: 'n', file: 2, live: 1 }],
      },
    ])
    expect(plan.drift).toMatchObject([{ differences: [{ member: 'm', file: 1, live: 5 }] }])
  })

  it('is a conflict where both changed a member differently, unless the file is to win', () => {
    const items = [[file('a', { n: 2 })], [base('a', { n: 1 })], [live('a', { n: 3 })]] as const
    expect(mergeConfiguration(...items)).toMatchObject({
      steps: [],
      conflicts: [{ differences: [{ member: 'n', file: 2, live: 3 }] }],
    })
    expect(mergeConfiguration(...items, { overwrite: true })).toMatchObject({
      steps: [{ action: 'change', content: { n: 2 } }],
      conflicts: [],
    })
  })

  it('lets the first file win over what it finds', () => {
    const plan = mergeConfiguration([file('a', { n: 2 })], [], [live('a', { n: 3 })])
    expect(plan.steps).toMatchObject([{ action: 'change', content: { n: 2 } }])
  })

  it('deletes only what earlier files set, and only with prune', () => {
    const items = [[], [base('a', {}), base('b', {})], [live('a', {}), live('c', {})]] as const
    expect(mergeConfiguration(...items)).toMatchObject({
      steps: [],
      left: [{ name: 'a' }],
      gone: [{ name: 'b' }],
    })
    expect(actions(mergeConfiguration(...items, { prune: true }))).toEqual(['delete a'])
  })

  it('compares members that cannot be read with the last application', () => {
    const options = { hidden: () => ['url'] }
    const before = base('a', { n: 1, url: '${A}' })
    const same = mergeConfiguration(
      [file('a', { n: 1, url: '${A}' })],
      [before],
      [live('a', { n: 1 })],
      options,
    )
    expect(same.steps).toEqual([])
    const changed = mergeConfiguration(
      [file('a', { n: 1, url: '${B}' })],
      [before],
      [live('a', { n: 1 })],
      options,
    )
    expect(changed.steps).toMatchObject([{ action: 'change', content: { n: 1, url: '${B}' } }])
  })
})

const contents = fc.record({ n: fc.integer({ min: 0, max: 2 }), m: fc.integer({ min: 0, max: 2 }) })
const named = fc.dictionary(fc.constantFrom('a', 'b', 'c'), contents)
const entries = (items: Record<string, Content>) => Object.entries(items)

describe('any files, earlier files and organization', () => {
  it('are equal after the plan was applied with everything that the file says', () => {
    fc.assert(
      fc.property(named, named, named, (files, bases, lives) => {
        const wanted = entries(files).map(([name, content]) => file(name, content))
        const plan = mergeConfiguration(
          wanted,
          entries(bases).map(([name, content]) => base(name, content)),
          entries(lives).map(([name, content]) => live(name, content)),
          { prune: true, overwrite: true },
        )
        const after = new Map(entries(lives))
        for (const { action, file: wants, live: found, content } of plan.steps) {
          if (action === 'delete') after.delete(found?.name ?? '')
          else if (content) after.set((wants ?? found)?.name ?? '', content)
        }
        for (const { name, content } of wanted) expect(after.get(name)).toEqual(content)
        const again = mergeConfiguration(
          wanted,
          wanted,
          [...after].map(([name, content]) => live(name, content)),
        )
        expect(again).toMatchObject({ steps: [], drift: [], conflicts: [], left: [] })
      }),
    )
  })

  it('never lose what only the console changed', () => {
    fc.assert(
      fc.property(named, named, (files, lives) => {
        const wanted = entries(files).map(([name, content]) => file(name, content))
        const found = entries(lives).map(([name, content]) => live(name, content))
        const plan = mergeConfiguration(wanted, wanted, found)
        expect(plan.conflicts).toEqual([])
        expect(plan.steps.every(({ action }) => action === 'create')).toBe(true)
      }),
    )
  })
})
