/**
 * The three-way comparison of a file, what the last application set, and what exists. A member that only the
 * file changed is applied; one that only the console changed stays and is shown as drift; one that both
 * changed differently is a conflict.
 */
import {
  type BaseItem,
  type Content,
  type FileItem,
  isEqual,
  keyOf,
  type LiveItem,
} from './item.ts'

export type Difference = { member: string; file: unknown; live: unknown }

export type Step = {
  action: 'create' | 'change' | 'delete' | 'adopt'
  /** Undefined for a deletion. */
  file?: FileItem
  /** Undefined for a creation. */
  live?: LiveItem
  /** The item afterwards; undefined for a deletion. */
  content?: Content
  changes: Difference[]
}

export type Plan = {
  /** In the order in which they are applied. */
  steps: Step[]
  /** Items that the console changed, and the file did not; they stay as they are. */
  drift: { item: LiveItem; differences: Difference[] }[]
  /** Items of earlier files that are no longer in one; they stay without `prune`. */
  left: LiveItem[]
  conflicts: { item: FileItem; differences: Difference[] }[]
  /** Items of earlier files that exist neither in a file nor in the organization. */
  gone: BaseItem[]
}

export type MergeOptions = {
  /** Deletes items that earlier files have set and no file has now. */
  prune?: boolean
  /** The file replaces what the console changed. */
  overwrite?: boolean
  /** Members that cannot be read from the organization: they are compared with the last application. */
  hidden?: (kind: string) => readonly string[]
}

export function mergeConfiguration(
  files: readonly FileItem[],
  base: readonly BaseItem[],
  live: readonly LiveItem[],
  { prune = false, overwrite = false, hidden = () => [] }: MergeOptions = {},
): Plan {
  const plan: Plan = { steps: [], drift: [], left: [], conflicts: [], gone: [] }
  const bases = new Map(base.map((item) => [keyOf(item), item]))
  const lives = new Map(live.map((item) => [keyOf(item), item]))
  const named = new Set(files.map(keyOf))

  for (const file of files) {
    const existing = lives.get(keyOf(file))
    if (existing) {
      const before = bases.get(keyOf(file))
      mergeItem(plan, file, before, existing, { overwrite, hidden: hidden(file.kind) })
    } else {
      plan.steps.push({ action: 'create', file, content: file.content, changes: [] })
    }
  }
  for (const item of base.toReversed()) {
    if (named.has(keyOf(item))) continue
    const existing = lives.get(keyOf(item))
    if (!existing) plan.gone.push(item)
    else if (prune) plan.steps.push({ action: 'delete', live: existing, changes: [] })
    else plan.left.push(existing)
  }
  return plan
}

function mergeItem(
  plan: Plan,
  file: FileItem,
  base: BaseItem | undefined,
  live: LiveItem,
  { overwrite, hidden }: { overwrite: boolean; hidden: readonly string[] },
): void {
  const changes: Difference[] = []
  const drift: Difference[] = []
  const conflicts: Difference[] = []
  const content: Record<string, unknown> = { ...live.content }
  // A member that the file omits, and that has no default, stays as it is.
  for (const member of Object.keys(file.content)) {
    const isHidden = hidden.includes(member)
    const wanted = file.content[member]
    const found = isHidden ? base?.content[member] : live.content[member]
    if (isEqual(wanted, found)) {
      // A member that cannot be read is sent only when its reference changes.
      if (isHidden) delete content[member]
      continue
    }
    const difference = { member, file: wanted ?? null, live: found ?? null }
    const before = base?.content[member]
    const isOurs = base === undefined || isHidden || !isEqual(wanted, before)
    const isTheirs = base !== undefined && !isHidden && !isEqual(found, before)
    if (overwrite || (isOurs && !isTheirs)) {
      changes.push(difference)
      content[member] = wanted
    } else if (isOurs) conflicts.push(difference)
    else drift.push(difference)
  }
  if (conflicts.length > 0) {
    plan.conflicts.push({ item: file, differences: conflicts })
    return
  }
  if (drift.length > 0) plan.drift.push({ item: live, differences: drift })
  if (changes.length > 0) plan.steps.push({ action: 'change', file, live, content, changes })
  else if (!base || !isEqual(base.content, file.content)) {
    plan.steps.push({ action: 'adopt', file, live, content: live.content, changes: [] })
  }
}
