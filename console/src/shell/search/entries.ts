/** Pages, and actions on them. They are found without the service. */
import { AREAS } from '../../pages.ts'

export type Entry = {
  name: string
  remark: string | null
  /** Below the organization. */
  link: string
}

const ACTIONS: readonly (readonly [name: string, link: string])[] = [
  ['Create an API key', '/developers/keys'],
  ['Roll an API key', '/developers/keys'],
  ['Revoke an API key', '/developers/keys'],
  ['Replay deliveries of an endpoint', '/webhooks'],
  ['Members', '/organization'],
  ['Invite a member', '/organization'],
  ['Web vitals', '/rum'],
  ['Add an entry to a block list', '/lists'],
  ['Report outcomes of orders', '/orders'],
  ['Change order rules', '/rules'],
  ['Write a custom rule', '/rules/custom'],
  ['New log alert', '/logs/alerts'],
  ['Follow logs live', '/logs?live=1'],
  ['Enroll a device', '/devices/tokens'],
  ['New device group', '/devices/groups'],
  ['New push application', '/push'],
  ['Add a notification channel', '/notifications/channels'],
  ['Change the password', '/profile'],
  ['Set up a second factor', '/profile'],
]

/** Pages about one item are reached through the item. */
const OF_ONE_ITEM = /:|^\/(?:logs\/(?:device|trace)|rum\/(?:page|error|session))$/

const PAGES: readonly Entry[] = AREAS.flatMap(({ name: area, pages }) =>
  pages
    .filter(({ path }) => !OF_ONE_ITEM.test(path))
    .map(({ title, menu, path }) => ({ name: menu ?? title, remark: area, link: path })),
)

const ENTRIES: readonly Entry[] = [
  ...PAGES,
  ...ACTIONS.map(([name, link]) => ({ name, remark: 'Action', link })),
]

const ENTRIES_MAX = 6

/** Entries of which each word of the text begins a word, those that begin with the text first. */
export function entriesFor(text: string): Entry[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  if (words.length === 0) return []
  const fits = ({ name }: Entry) => {
    const own = name.toLowerCase().split(/\s+/)
    return words.every((word) => own.some((each) => each.startsWith(word)))
  }
  const isFirst = ({ name }: Entry) => Number(name.toLowerCase().startsWith(words.join(' ')))
  return ENTRIES.filter(fits)
    .toSorted((a, b) => isFirst(b) - isFirst(a))
    .slice(0, ENTRIES_MAX)
}

/** A pasted key stays in the browser: only what lists show of it is sent. */
export function withoutKey(text: string): string {
  const [, prefix, end] = /^([sp]k_(?:live|test)_)\w{20,}(\w{4})$/.exec(text) ?? []
  return prefix === undefined ? text : `${prefix}…${end}`
}

/** Logs are searched on their own page, which shows their time range. */
export const logsEntry = (text: string): Entry => ({
  name: `Search logs for “${text}”`,
  remark: null,
  link: `/logs?${new URLSearchParams({ q: text }).toString()}`,
})
