/** What is around the pages of one application. */
import type { ComponentChildren } from 'preact'
import { useRoute } from 'wouter'
import { Badge, Empty, Notice, Page, Shown, Tabs } from '../../components/index.ts'
import { PageLink } from '../../shell/links.tsx'
import { useOrg } from '../../shell/organization.ts'
import { type App, useApplications, useCredentials } from './api.ts'
import styles from './push.module.css'
import { PROVIDER_NAMES } from './words.tsx'

export function ApplicationFrame({
  title,
  up = { to: '/push', label: 'Push' },
  isComposing = false,
  children,
}: {
  /** Default: the name of the application. */
  title?: string
  up?: { to: string; label: string }
  /** Where a message is written already. */
  isComposing?: boolean
  children: (app: App) => ComponentChildren
}) {
  const [, params] = useRoute('/push/:app/*?')
  const { is_admin } = useOrg()
  const apps = useApplications()
  const app = apps.data?.find(({ id }) => id === params?.app)
  return (
    <Page
      title={title ?? app?.name ?? 'Application'}
      up={up}
      {...(app && {
        lead: <Lead app={app} hasName={title !== undefined} />,
        actions: is_admin && !isComposing && (
          <PageLink to={`/push/${app.id}/compose`} class="button button-primary">
            New message
          </PageLink>
        ),
      })}
    >
      <Shown read={apps} what="the application">
        {() =>
          app ? (
            <>
              <Attention app={app} />
              <Tabs
                label="Application"
                tabs={[
                  { to: `/push/${app.id}`, label: 'Messages' },
                  { to: `/push/${app.id}/subscriptions`, label: 'Subscriptions' },
                  { to: `/push/${app.id}/setup`, label: 'Setup' },
                ]}
              />
              {children(app)}
            </>
          ) : (
            <Empty title="There is no such application">
              <p>It was deleted, or belongs to another organisation.</p>
              <PageLink to="/push">All applications</PageLink>
            </Empty>
          )
        }
      </Shown>
    </Page>
  )
}

const Lead = ({ app, hasName }: { app: App; hasName: boolean }) => (
  <span class="row">
    <Badge tone={app.environment === 'test' ? 'warn' : 'neutral'}>{app.environment}</Badge>
    {hasName && <span>{app.name}</span>}
  </span>
)

/** Wherever one is: what keeps messages from leaving. */
function Attention({ app }: { app: App }) {
  const credentials = useCredentials(app.id)
  const troubled = credentials.data?.filter(({ status }) => status === 'Needs attention') ?? []
  if (troubled.length === 0) return null
  return (
    <div class={styles['standing']}>
      <Notice tone="bad">
        {troubled.map(({ provider, error }) => (
          <p key={provider}>
            <strong>{PROVIDER_NAMES[provider]} needs attention:</strong> {error} What is to be sent
            waits.
          </p>
        ))}
        <p>
          <PageLink to={`/push/${app.id}/setup`}>Replace the credential, or test it again</PageLink>
        </p>
      </Notice>
    </div>
  )
}
