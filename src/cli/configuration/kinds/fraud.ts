/** Order rules of a mode, and entries of lists. */
import {
  type CustomRule,
  CustomRuleFault,
  readCustomRules,
} from '../../../modules/custom-rules/index.ts'
import type { ListedEntry, ListPage } from '../../../modules/lists/schema.ts'
import type { RulesLearning } from '../../../modules/orders/learning/schema.ts'
import type { RulesShown } from '../../../modules/orders/rules/schema.ts'
import { CommandError } from '../../io.ts'
import { LISTED_IN_FILES } from '../document.ts'
import { type Content, isEqual, type LiveItem } from '../item.ts'
import { type Context, type Kind, pickMembers, textOf, timeText } from './kind.ts'

const RULES = '/console/api/rules'
const LISTS = '/console/api/lists'
const MODES = ['live', 'test'] as const
const PAGE_ROWS = 100
const ENTRIES_READ_MAX = 10_000

/** @param changed members, because rules that are active already are refused */
async function applyRules(
  { api }: Context,
  mode: string,
  content: Content,
  changed: readonly string[],
): Promise<void> {
  const { automatic } = content
  if (changed.includes('automatic') && automatic !== undefined) {
    await api.send('POST', `${RULES}/learned/automatic`, { mode, automatic })
  }
  if (!changed.includes('overrides') && !changed.includes('custom_rules')) return
  const { version } = await api.get<RulesShown>(RULES, { mode })
  const note = 'Applied from a file'
  const rules = pickMembers(content, ['overrides', 'custom_rules'])
  await api.send('POST', `${RULES}/apply`, { mode, base_version: version, note, ...rules })
}

function customRulesOf(rules: unknown): CustomRule[] {
  try {
    return readCustomRules(rules)
  } catch (error) {
    if (!(error instanceof CustomRuleFault)) throw error
    throw new CommandError(`order_rules: ${error.path}: ${error.message}`)
  }
}

const SHIPPED: Content = { overrides: {}, custom_rules: [], automatic: false }
const unlikeShipped = (content: Content): string[] =>
  Object.keys(SHIPPED).filter((name) => !isEqual(content[name], SHIPPED[name]))
/** The shipped rules are not a choice of the organization. */
const isShipped = (content: Content): boolean => unlikeShipped(content).length === 0

/** Exist always: a mode without changes has the shipped rules. */
export const orderRules: Kind = {
  noun: 'order rules',
  nameOf: (content) => textOf(content, 'mode'),
  exported: (content) => (isShipped(content) ? undefined : content),
  normalize: ({ custom_rules, ...content }) => ({
    ...content,
    ...(custom_rules !== undefined && { custom_rules: customRulesOf(custom_rules) }),
  }),
  read: async ({ api }) =>
    await Promise.all(
      MODES.map(async (mode) => {
        const { overrides, custom_rules } = await api.get<RulesShown>(RULES, { mode })
        const { automatic } = await api.get<RulesLearning>(`${RULES}/learned`, { mode })
        return { id: mode, name: mode, content: { mode, overrides, custom_rules, automatic } }
      }),
    ),
  create: async (context, content) => {
    const mode = textOf(content, 'mode')
    await applyRules(context, mode, content, Object.keys(SHIPPED))
    return { id: mode }
  },
  change: async (context, { id }, content, changed) =>
    await applyRules(context, id, content, changed),
  remove: async (context, { id, content }) =>
    await applyRules(context, id, SHIPPED, unlikeShipped(content)),
}

const entryName = (content: Content): string =>
  ['mode', 'list', 'kind', 'value'].map((member) => textOf(content, member)).join('/')

const store = async ({ api }: Context, content: Content): Promise<ListedEntry> => {
  const { reason, expires_at } = content
  return await api.send<ListedEntry>('POST', LISTS, {
    ...pickMembers(content, ['mode', 'list', 'kind', 'value']),
    ...(typeof reason === 'string' && { reason }),
    ...(typeof expires_at === 'string' && { expires_at }),
  })
}

export const listEntries: Kind = {
  noun: 'list entry',
  nameOf: entryName,
  normalize: (content) => ({
    reason: null,
    ...content,
    expires_at: timeText(content['expires_at'] ?? null),
  }),
  read: async (context) => {
    const pages = await Promise.all(
      MODES.flatMap((mode) => LISTED_IN_FILES.map((kind) => readEntries(context, mode, kind))),
    )
    return pages.flat()
  },
  create: async (context, content) => ({ id: (await store(context, content)).id }),
  change: async (context, _live, content) => void (await store(context, content)),
  remove: async ({ api }, { id, content }) =>
    await api.remove(`${LISTS}/${id}`, { mode: textOf(content, 'mode') }),
}

async function readEntries(
  { api }: Context,
  mode: string,
  kind: string,
): Promise<Omit<LiveItem, 'kind'>[]> {
  const found: Omit<LiveItem, 'kind'>[] = []
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page: ListPage = await api.get<ListPage>(LISTS, {
      mode,
      kind,
      limit: String(PAGE_ROWS),
      ...(cursor !== undefined && { cursor }),
    })
    for (const { id, list, value, reason, expires_at } of page.entries) {
      const content = { mode, list, kind, value, reason, expires_at }
      found.push({ id, name: entryName(content), content })
    }
    if (found.length > ENTRIES_READ_MAX) {
      throw new CommandError(`The lists have more than ${ENTRIES_READ_MAX} entries of kind ${kind}`)
    }
    cursor = page.next_cursor
  }
  return found
}
