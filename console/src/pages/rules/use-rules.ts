/** The rules in force, and the draft of this browser for them. */

import { useMemo, useState } from 'preact/hooks'
import type {
  RuleOverrides,
  RuleSection,
  RulesShown,
} from '../../../../src/modules/orders/rules/schema.ts'
import { type Read, useRead } from '../../api/read.ts'
import { keep, readKept } from '../../shell/kept.ts'
import { useMode, useOrg } from '../../shell/organization.ts'
import { type Draft, draftOf, overridesOf, tidied } from './draft.ts'

export const RULES_PATH = '/console/api/rules'

export function useRules(): Read<RulesShown> {
  const { id: org_id } = useOrg()
  return useRead<RulesShown>(RULES_PATH, { org_id, mode: useMode() })
}

export type DraftState = {
  draft: Draft
  overrides: RuleOverrides
  set: (field: string, value: number) => void
  reset: (field: string) => void
  discard: () => void
}

/** Kept in this browser only: nobody else sees a draft before it is replayed or applied. */
export function useDraft(sections: readonly RuleSection[]): DraftState {
  const store = useDraftStore()
  const [kept, setKept] = useState<Draft>(store.read)
  const draft = useMemo(() => tidied(sections, kept), [sections, kept])
  const change = (next: Draft) => {
    setKept(next)
    store.write(next)
  }
  return {
    draft,
    overrides: overridesOf(sections, draft),
    set: (field, value) => change({ ...draft, [field]: value }),
    reset: (field) => {
      const { [field]: _reset, ...rest } = draft
      change(rest)
    },
    discard: () => change({}),
  }
}

/** Puts other rules into the editor, such as those of a replay. */
export function useTakeDraft(): (
  sections: readonly RuleSection[],
  overrides: RuleOverrides,
) => void {
  const store = useDraftStore()
  return (sections, overrides) => store.write(draftOf(sections, overrides))
}

function useDraftStore() {
  const { id } = useOrg()
  const name = `vigil:rules-draft:${id}:${useMode()}`
  return {
    read: (): Draft => readDraft(readKept(name)),
    write: (draft: Draft) => keep(name, JSON.stringify(draft)),
  }
}

/** Whatever is in the storage, only numbers count. */
function readDraft(text: string | null): Draft {
  try {
    const json = JSON.parse(text ?? '{}') as unknown
    if (typeof json !== 'object' || json === null) return {}
    return Object.fromEntries(
      Object.entries(json).filter(([, value]) => typeof value === 'number'),
    ) as Draft
  } catch {
    return {}
  }
}
