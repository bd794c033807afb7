/** Earlier versions of a policy, each compared with the one that is in force. */
import { useState } from 'preact/hooks'
import type {
  PolicyVersions,
  PolicyVersionWithJson,
} from '../../../../../src/modules/mdm/browsing/schema.ts'
import type { Policy } from '../../../../../src/modules/mdm/policies/schema.ts'
import { useRead } from '../../../api/read.ts'
import { Actions, Button, numberText, Section, Shown, Table } from '../../../components/index.ts'
import { useOrg } from '../../../shell/organization.ts'
import { When } from '../line.tsx'
import { useNames } from '../names.ts'
import { DiffView } from './editor/diff-view.tsx'
import { jsonText } from './editor/json-text.ts'

const REFRESH_MS = 15_000

type Props = {
  policy: Policy
  /** Takes the text of a version into the editor. */
  onLoad?: (text: string) => void
}

export function Versions({ policy, onLoad }: Props) {
  const { id: org_id } = useOrg()
  const names = useNames()
  const [shown, setShown] = useState<number>()
  const read = useRead<PolicyVersions>(
    `/console/api/mdm/policies/${policy.id}/versions`,
    { org_id },
    { refresh_ms: REFRESH_MS },
  )
  return (
    <Section title="Versions">
      <div class="stack">
        <Shown read={read} what="versions">
          {({ versions }) => (
            <Table
              label="Versions"
              rows={versions}
              keyOf={({ version }) => String(version)}
              isCurrent={({ version }) => version === shown}
              columns={[
                { label: 'Version', isNumber: true, cell: ({ version }) => numberText(version) },
                { label: 'Saved', cell: ({ created_at }) => <When at={created_at} /> },
                {
                  label: 'By',
                  isWide: true,
                  cell: ({ created_by }) =>
                    created_by === null ? 'the service' : names.person(created_by),
                },
                {
                  label: 'Compare',
                  hideLabel: true,
                  cell: ({ version }) =>
                    version === policy.version ? (
                      <span class="muted">in force</span>
                    ) : (
                      <Button
                        size="small"
                        aria-expanded={shown === version}
                        onClick={() => setShown(shown === version ? undefined : version)}
                      >
                        Compare version {version}
                      </Button>
                    ),
                },
              ]}
            />
          )}
        </Shown>
        {shown !== undefined && <Comparison policy={policy} version={shown} onLoad={onLoad} />}
      </div>
    </Section>
  )
}

type ComparisonProps = {
  policy: Policy
  version: number
  onLoad: ((text: string) => void) | undefined
}

function Comparison({ policy, version, onLoad }: ComparisonProps) {
  const { id: org_id } = useOrg()
  const read = useRead<PolicyVersionWithJson>(
    `/console/api/mdm/policies/${policy.id}/versions/${version}`,
    { org_id },
  )
  return (
    <Shown read={read} what={`version ${version}`}>
      {({ policy_json }) => (
        <div class="stack">
          <h3>
            From version {version} to version {policy.version}
          </h3>
          <DiffView
            label={`From version ${version} to version ${policy.version}`}
            before={jsonText(policy_json)}
            after={jsonText(policy.policy_json)}
          />
          {onLoad && (
            <Actions>
              <Button
                onClick={() => {
                  onLoad(jsonText(policy_json))
                  window.scrollTo(0, 0)
                }}
              >
                Take version {version} into the editor
              </Button>
            </Actions>
          )}
        </div>
      )}
    </Shown>
  )
}
