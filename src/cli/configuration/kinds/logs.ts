/** Saved searches of the logs, and the dashboard. */
import type { Panel } from '../../../modules/edge/panels/schema.ts'
import type { SavedSearch } from '../../../modules/edge/searches/schema.ts'
import { type Content, isEqual } from '../item.ts'
import { type Context, type Kind, pickMembers, textOf } from './kind.ts'

const SEARCHES = '/console/api/edge/searches'
const PANELS = '/console/api/edge/panels'
const DASHBOARD = 'logs'

/** Members may give several searches one name: the oldest of them counts, and the others stay as they are. */
export const savedSearches: Kind = {
  noun: 'saved search',
  nameOf: (content) => textOf(content, 'name'),
  normalize: (content) => content,
  read: async ({ api }) => {
    const { searches } = await api.get<{ searches: SavedSearch[] }>(SEARCHES)
    const newestFirst = searches.toSorted((one, other) => (one.id < other.id ? 1 : -1))
    const byName = new Map(newestFirst.map((search) => [search.name, search]))
    return [...byName.values()].map(({ id, name, filters }) => ({
      id,
      name,
      content: { name, filters },
    }))
  },
  create: async ({ api }, content) => ({
    id: (await api.send<SavedSearch>('POST', SEARCHES, content)).id,
  }),
  change: async ({ api }, { id }, content, changed) => {
    await api.send('PATCH', `${SEARCHES}/${id}`, pickMembers(content, changed))
  },
  remove: async ({ api }, { id }) => await api.remove(`${SEARCHES}/${id}`),
}

type FilePanel = Pick<Panel, 'name' | 'view'>

const readPanels = async ({ api }: Context): Promise<Panel[]> =>
  (await api.get<{ panels: Panel[] }>(PANELS)).panels

/** Panels with the same name and view stay; the others are changed, added and deleted. */
async function setPanels(context: Context, content: Content): Promise<void> {
  const { api } = context
  const wanted = content['panels'] as FilePanel[]
  const left = await readPanels(context)
  const take = (matches: (panel: Panel) => boolean): Panel | undefined => {
    const index = left.findIndex(matches)
    return index < 0 ? undefined : left.splice(index, 1)[0]
  }
  const same = wanted.map(({ name, view }) =>
    take((panel) => panel.name === name && isEqual(panel.view, view)),
  )
  const found = wanted.map(({ name }, index) => same[index] ?? take((panel) => panel.name === name))
  // Deletions come first, because the number of panels has a limit.
  for (const { id } of left) await api.remove(`${PANELS}/${id}`)
  const ids: string[] = []
  for (const [index, { name, view }] of wanted.entries()) {
    const panel = found[index]
    if (panel && !same[index]) await api.send('PATCH', `${PANELS}/${panel.id}`, { view })
    ids.push(panel?.id ?? (await api.send<Panel>('POST', PANELS, { name, view })).id)
  }
  await api.send('POST', `${PANELS}/order`, { ids })
}

/** Exists always, with any number of panels. Files have all of them in their order. */
export const logDashboard: Kind = {
  noun: 'dashboard',
  nameOf: () => DASHBOARD,
  normalize: (content) => content,
  exported: (content) => ((content['panels'] as FilePanel[]).length === 0 ? undefined : content),
  read: async (context) => {
    const panels = (await readPanels(context)).map(({ name, view }) => ({ name, view }))
    return [{ id: DASHBOARD, name: DASHBOARD, content: { panels } }]
  },
  create: async (context, content) => {
    await setPanels(context, content)
    return { id: DASHBOARD }
  },
  change: async (context, _live, content) => await setPanels(context, content),
  remove: async (context) => await setPanels(context, { panels: [] }),
}
