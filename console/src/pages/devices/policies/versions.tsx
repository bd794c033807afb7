import { useState } from 'preact/hooks'
import type {
  PolicyVersions,
  PolicyVersionWithJson,
} from '../../../../../src/modules/mdm/browsing/schema.ts'
import type { Policy } from '../../../../../src/modules/mdm/policies/schema.ts'
import { Actions, Button, Loaded, Section, Table, Time } from '../../../components/index.ts'
import { useMdmRead, useNames } from '../names.ts'
import { DiffView } from './editor/diff-view.tsx'
import { jsonText } from './editor/json-text.ts'

const REFRESH_MS = 15_000

type Props = { policy: Policy; onLoad: ((text: string) => void) | false }

export function Versions({ policy, onLoad }: Props) {
  const names = useNames()
  const [shown, setShown] = useState<number>()
  const path = `/console/api/mdm/policies/${policy.id}/versions`
  const read = useMdmRead<PolicyVersions>(path, { refresh_ms: REFRESH_MS })
  return (
    <Section title="Versions">
      <div class="stack">
        <Loaded read={read} what="the versions">
          {({ versions }) => (
            <Table
              label="Versions"
              rows={versions}
              keyOf={({ version }) => String(version)}
              isCurrent={({ version }) => version === shown}
              columns={[
                { label: 'Version', isNumber: true, cell: ({ version }) => version },
                { label: 'Saved', cell: ({ created_at }) => <Time at={created_at} /> },
                {
                  label: 'Saved by',
                  isWide: true,
                  cell: ({ created_by }) =>
                    created_by === null ? 'Vigil' : names.person(created_by),
                },
                {
                  label: 'Compare',
                  hideLabel: true,
                  cell: ({ version }) =>
                    version === policy.version ? (
                      <span class="muted">current</span>
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
        </Loaded>
        {shown !== undefined && <Comparison policy={policy} version={shown} onLoad={onLoad} />}
      </div>
    </Section>
  )
}

type ComparisonProps = Props & { version: number }

function Comparison({ policy, version, onLoad }: ComparisonProps) {
  const path = `/console/api/mdm/policies/${policy.id}/versions/${version}`
  const read = useMdmRead<PolicyVersionWithJson>(path)
  const title = `Changes from version ${version} to version ${policy.version}`
  return (
    <Loaded read={read} what={`version ${version}`}>
      {({ policy_json }) => (
        <div class="stack">
          <h3>{title}</h3>
          <DiffView
            label={title}
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
                Load version {version} into the editor
              </Button>
            </Actions>
          )}
        </div>
      )}
    </Loaded>
  )
}
