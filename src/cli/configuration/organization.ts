/** Reads all items of an organization, and the names by which they refer to each other. */
import { ITEM_KINDS, type ItemKind, type ManagedItem } from '../../modules/configuration/index.ts'
import { CommandError } from '../io.ts'
import type { Api } from './api.ts'
import { type BaseItem, keyOf, type LiveItem } from './item.ts'
import { type Context, KINDS } from './kinds/index.ts'

export const CONFIGURATION = '/console/api/configuration'

export type ReadOrganization = {
  live: LiveItem[]
  context: Context
  learn: (item: LiveItem) => void
}

/**
 * @param environment of references such as `${SLACK_URL}`
 * @throws CommandError when two items of a kind have one name
 */
export async function readOrganization(
  api: Api,
  environment: Record<string, string | undefined>,
): Promise<ReadOrganization> {
  const byName = new Map<string, LiveItem>()
  const byId = new Map<string, LiveItem>()
  const learn = (item: LiveItem) => {
    byName.set(keyOf(item), item)
    byId.set(`${item.kind} ${item.id}`, item)
  }
  const context: Context = {
    api,
    idOf: (kind, name) => {
      const id = byName.get(keyOf({ kind, name }))?.id
      if (id === undefined) throw new CommandError(`There is no ${KINDS[kind].noun} "${name}"`)
      return id
    },
    nameOf: (kind, id) => byId.get(`${kind} ${id}`)?.name,
    secretOf: (reference) => {
      const name = reference.slice(2, -1)
      const value = environment[name]
      if (value === undefined || value === '') {
        throw new CommandError(`The environment variable ${name} is not set`)
      }
      return value
    },
  }
  const live: LiveItem[] = []
  // In order, because the later kinds name items of the earlier ones.
  for (const kind of ITEM_KINDS) {
    for (const item of await readKind(context, kind)) {
      if (byName.has(keyOf(item))) {
        const { noun } = KINDS[kind]
        throw new CommandError(`Two items of the kind ${noun} are named "${item.name}": rename one`)
      }
      learn(item)
      live.push(item)
    }
  }
  return { live, context, learn }
}

const readKind = async (context: Context, kind: ItemKind): Promise<LiveItem[]> =>
  (await KINDS[kind].read(context)).map((item) => ({
    kind,
    ...item,
    content: KINDS[kind].normalize(item.content),
  }))

/** In the order in which items are applied. */
export async function readBase(api: Api): Promise<BaseItem[]> {
  const { items } = await api.get<{ items: ManagedItem[] }>(CONFIGURATION)
  return ITEM_KINDS.flatMap((kind) => items.filter((item) => item.kind === kind))
}
