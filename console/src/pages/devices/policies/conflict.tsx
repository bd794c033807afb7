/** Somebody else saved the policy while a draft of it was written. */
import { useState } from 'preact/hooks'
import type { Policy } from '../../../../../src/modules/mdm/policies/schema.ts'
import { Actions, Button, Notice, Section, Time } from '../../../components/index.ts'
import { DiffView } from './editor/diff-view.tsx'
import type { Draft } from './editor/draft.ts'
import { jsonText } from './editor/json-text.ts'

type Props = { policy: Policy; draft: Draft; onKeep: () => void; onTake: () => void }

export function Conflict({ policy, draft, onKeep, onTake }: Props) {
  const [isCompared, setCompared] = useState(false)
  return (
    <Section title="Somebody saved this policy meanwhile">
      <div class="stack" role="alert">
        <Notice tone="warn">
          <p>
            Version {policy.version} was saved <Time at={policy.updated_at} as="age" />. Your draft
            was begun from version {draft.version}. Saved as it is, it would take back what they
            changed.
          </p>
        </Notice>
        <Actions>
          <Button onClick={() => setCompared(!isCompared)} aria-expanded={isCompared}>
            Compare theirs with my draft
          </Button>
          <Button onClick={onKeep}>Keep my draft, on top of theirs</Button>
          <Button kind="danger" onClick={onTake}>
            Take theirs, drop my draft
          </Button>
        </Actions>
        {isCompared && (
          <DiffView
            label="Theirs, and my draft"
            before={jsonText(policy.policy_json)}
            after={draft.text}
          />
        )}
      </div>
    </Section>
  )
}
