/** Until the first request: what to do, with a command that can be copied as it stands. */
import { CodeBlock, Notice, Section } from '../../components/index.ts'
import { PageLink } from '../../shell/links.tsx'
import { useMode, useOrg } from '../../shell/organization.ts'
import styles from './home.module.css'

const commandOf = (mode: 'live' | 'test') =>
  `curl -s ${window.location.origin}/v1/check \\
  -H "X-API-Key: $VIGIL_${mode.toUpperCase()}_KEY" \\
  -H 'Content-Type: application/json' \\
  -d '{"email":"clean@example.com","event_type":"signup"}'`

export function FirstSteps({ hasKey }: { hasKey: boolean }) {
  const { is_admin } = useOrg()
  const mode = useMode()
  return (
    <Section title={`First steps with ${mode} data`}>
      <ol class={styles['steps']}>
        <li>
          <h3>{hasKey ? `There is a ${mode} key` : `Create a ${mode} key`}</h3>
          <p>
            {is_admin ? (
              <>
                <PageLink to="/developers/keys">
                  {hasKey ? 'Roll it or create another' : 'Create one'}
                </PageLink>{' '}
                if you do not have its text: a key is shown once.
              </>
            ) : (
              'Owners and admins create keys: ask one of them for it.'
            )}
          </p>
        </li>
        <li>
          <h3>Send the first check</h3>
          <p>Put the key in place of the variable.</p>
          <CodeBlock text={commandOf(mode)} label="Command of a first check" />
        </li>
        <li>
          <h3>Look at what came of it</h3>
          <p>
            It is in the <PageLink to="/checks">history of checks</PageLink> a moment later, with
            the reasons of its score.
          </p>
        </li>
      </ol>
      {mode === 'live' && (
        <Notice>
          Live checks cost credits. Choose test data at the top to try for nothing, with values that
          have a fixed outcome.
        </Notice>
      )}
    </Section>
  )
}
