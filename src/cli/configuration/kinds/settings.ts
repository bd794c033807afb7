/** Settings that exist once in an organization: those of cases and of credits. */
import { DEFAULT_CASE_SETTINGS } from '../../../modules/reviews/index.ts'
import type { Api } from '../api.ts'
import { type Content, isEqual } from '../item.ts'
import { type Kind, pickMembers } from './kind.ts'

type Settings = {
  noun: string
  name: string
  /** The path that returns them, and that of the change. */
  paths: readonly [read: string, write: string]
  /** The values in an organization that has chosen none. */
  defaults: Content
}

/** Deleting them restores the defaults. */
const settings = ({ noun, name, paths: [reading, writing], defaults }: Settings): Kind => {
  const members = Object.keys(defaults)
  const write = async (api: Api, content: Content) =>
    void (await api.send('PUT', writing, pickMembers(content, members)))
  return {
    noun,
    nameOf: () => name,
    normalize: (content) => content,
    exported: (content) => (isEqual(content, defaults) ? undefined : content),
    read: async ({ api }) => {
      const content = pickMembers(await api.get<Content>(reading), members)
      return [{ id: name, name, content }]
    },
    create: async ({ api }, content) => {
      await write(api, content)
      return { id: name }
    },
    change: async ({ api }, _live, content) => await write(api, content),
    remove: async ({ api }) => await write(api, defaults),
  }
}

export const caseSettings = settings({
  noun: 'settings',
  name: 'cases',
  paths: ['/console/api/cases/settings', '/console/api/cases/settings'],
  defaults: DEFAULT_CASE_SETTINGS,
})

export const creditSettings = settings({
  noun: 'settings',
  name: 'credits',
  paths: ['/console/api/credits', '/console/api/credits/low-balance'],
  defaults: { low_balance_credits: null },
})
