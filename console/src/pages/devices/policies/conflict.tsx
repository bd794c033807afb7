/** Shown when someone else saved the policy while a draft was being edited. */
import { useState } from 'preact/hooks'
import type { Policy } from '../../../../../src/modules/mdm/policies/schema.ts'
import { Actions, Button, Notice, Section, Time } from '../../../components/index.ts'
import { DiffView } from './editor/diff-view.tsx'
import type { Draft } from './editor/draft.ts'
import { jsonText } from './editor/json-text.ts'

type Props = { policy: Policy; draft: Draft; onKeep: () => void; onDiscard: () => void }

export function Conflict({ policy, draft, onKeep, onDiscard }: Props) {
  const [isCompared, setCompared] = useState(false)
  return (
    <Section title="This policy was changed in the meantime">
      <div class="stack" role="alert">
        <Notice tone="warn">
          <p>
            Version {policy.version} was saved <Time at={policy.updated_at} as="age" />. Your draft
            is based on version {draft.version}. Saving it unchanged would revert the newer changes.
          </p>
        </Notice>
        <Actions>
          <Button onClick={() => setCompared(!isCompared)} aria-expanded={isCompared}>
            Compare with my draft
          </Button>
          <Button onClick={onKeep}>Keep my draft</Button>
          <Button kind="danger" onClick={onDiscard}>
            Discard my draft
          </Button>
        </Actions>
        {isCompared && (
          <DiffView
            label="Saved version and my draft"
            before={jsonText(policy.policy_json)}
            after={draft.text}
          />
        )}
      </div>
    </Section>
  )
}
