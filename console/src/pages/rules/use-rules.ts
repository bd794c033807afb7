/** The active rules, and the draft in this browser. */

import { useMemo, useState } from 'preact/hooks'
import type { RulesReplayPage } from '../../../../src/modules/orders/replays/schema.ts'
import type {
  CustomRule,
  RuleOverrides,
  RuleSection,
  RulesShown,
} from '../../../../src/modules/orders/rules/schema.ts'
import { type Read, useRead } from '../../api/read.ts'
import { readStored, store } from '../../shell/browser-storage.ts'
import { useMode, useOrg, useScope } from '../../shell/organization.ts'
import { customChanges, readRules } from './custom-draft.ts'
import { changesBetween, type Draft, draftOf, normalized, overridesOf } from './draft.ts'

export const RULES_PATH = '/console/api/rules'

export function useRules(): Read<RulesShown> {
  return useRead<RulesShown>(RULES_PATH, useScope())
}

/** Stored in this browser only: other members see a draft when it is replayed or applied. */
export function useDraft(sections: readonly RuleSection[]) {
  const storage = useDraftStorage()
  const [stored, setStored] = useState<Draft>(storage.read)
  const draft = useMemo(() => normalized(sections, stored), [sections, stored])
  const change = (next: Draft) => {
    setStored(next)
    storage.write(next)
  }
  return {
    draft,
    overrides: overridesOf(sections, draft),
    set: (field: string, value: number) => change({ ...draft, [field]: value }),
    reset: (field: string) => {
      const { [field]: _reset, ...rest } = draft
      change(rest)
    },
    discard: () => change({}),
  }
}

/** The custom rules of the draft, which are the active ones until they are changed. */
export function useCustomDraft(active: readonly CustomRule[]) {
  const storage = useCustomDraftStorage()
  const [stored, setStored] = useState(storage.read)
  const change = (next: readonly CustomRule[] | undefined) => {
    setStored(next && [...next])
    storage.write(next)
  }
  return { draft: stored ?? active, change, discard: () => change(undefined) }
}

export function useReplaceCustomDraft() {
  return useCustomDraftStorage().write
}

function useCustomDraftStorage() {
  const { id } = useOrg()
  const name = `vigil:custom-rules-draft:${id}:${useMode()}`
  return {
    read: () => readRules(readStored(name)),
    write: (rules: readonly CustomRule[] | undefined) => store(name, JSON.stringify(rules ?? null)),
  }
}

/** Whether one of the newest replays has finished with exactly these rules. */
export function useIsReplayed(
  { sections }: RulesShown,
  overrides: RuleOverrides,
  custom_rules: readonly CustomRule[],
): boolean {
  const { data } = useRead<RulesReplayPage>(`${RULES_PATH}/replays`, useScope())
  return (
    data?.replays.some(
      (replay) =>
        replay.state === 'done' &&
        changesBetween(sections, replay.overrides, overrides).length === 0 &&
        customChanges(replay.custom_rules, custom_rules).length === 0,
    ) ?? false
  )
}

/** @returns replaces the draft, for example with the rules of a replay */
export function useReplaceDraft() {
  const storage = useDraftStorage()
  return (sections: readonly RuleSection[], overrides: RuleOverrides) =>
    storage.write(draftOf(sections, overrides))
}

function useDraftStorage() {
  const { id } = useOrg()
  const name = `vigil:rules-draft:${id}:${useMode()}`
  return {
    read: (): Draft => readDraft(readStored(name)),
    write: (draft: Draft) => store(name, JSON.stringify(draft)),
  }
}

/** Ignores anything but numbers, because stored text may be of any form. */
function readDraft(text: string | null): Draft {
  try {
    const json = JSON.parse(text ?? '{}') as unknown
    if (typeof json !== 'object' || json === null) return {}
    const numbers = Object.entries(json).filter(([, value]) => typeof value === 'number')
    return Object.fromEntries(numbers) as Draft
  } catch {
    return {}
  }
}
