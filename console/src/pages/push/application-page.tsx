import type { ComponentChildren } from 'preact'
import { useRoute } from 'wouter'
import { findIn } from '../../api/lists.ts'
import { Badge, DetailPage, Loading, Notice, Tabs } from '../../components/index.ts'
import { PageLink } from '../../shell/links.tsx'
import { useOrg } from '../../shell/organization.ts'
import { type App, useApplications, useCredentials } from './api.ts'
import styles from './push.module.css'
import { PROVIDER_NAMES } from './status.tsx'

export function ApplicationPage({
  title,
  up = { to: '/push', label: 'Push' },
  isComposing = false,
  children,
}: {
  /** By default the name of the application. */
  title?: string
  up?: { to: string; label: string }
  /** Hides the button for a new message. */
  isComposing?: boolean
  children: (app: App) => ComponentChildren
}) {
  const [, params] = useRoute('/push/:app/*?')
  const { is_admin } = useOrg()
  const read = findIn(useApplications(), ({ id }) => id === params?.app)
  return (
    <DetailPage
      read={read}
      what="application"
      title={({ name }) => title ?? name}
      up={up}
      lead={(app) => <Lead app={app} hasName={title !== undefined} />}
      actions={({ id }) =>
        is_admin &&
        !isComposing && (
          <PageLink to={`/push/${id}/compose`} class="button button-primary">
            New message
          </PageLink>
        )
      }
    >
      {(app) => (
        <Credentials app={app}>
          <Tabs
            label="Application"
            tabs={[
              { to: `/push/${app.id}`, label: 'Messages' },
              { to: `/push/${app.id}/subscriptions`, label: 'Subscriptions' },
              { to: `/push/${app.id}/setup`, label: 'Setup' },
            ]}
          />
          {children(app)}
        </Credentials>
      )}
    </DetailPage>
  )
}

const Lead = ({ app, hasName }: { app: App; hasName: boolean }) => (
  <span class="row">
    <Badge tone={app.environment === 'test' ? 'warn' : 'neutral'}>{app.environment}</Badge>
    {hasName && <span>{app.name}</span>}
  </span>
)

/** Credentials that keep messages from being sent, above all pages, which would move if they came later. */
function Credentials({ app, children }: { app: App; children: ComponentChildren }) {
  const credentials = useCredentials(app.id)
  if (credentials.isPending) return <Loading what="the application" />
  const rejected = credentials.data?.filter(({ status }) => status === 'Needs attention') ?? []
  // The page stays in its place when a test is rejected, because it shows the result of the test.
  return (
    <>
      {rejected.length > 0 && (
        <div class={styles['notice']}>
          <Notice tone="bad">
            {rejected.map(({ provider, error }) => (
              <p key={provider}>
                <strong>{PROVIDER_NAMES[provider]} needs attention:</strong> {error} Messages are
                waiting.
              </p>
            ))}
            <p>
              <PageLink to={`/push/${app.id}/setup`}>
                Replace the credential or send a test
              </PageLink>
            </p>
          </Notice>
        </div>
      )}
      {children}
    </>
  )
}
