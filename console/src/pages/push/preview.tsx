/** How a notification looks, drawn: what does not fit is cut as the systems cut it. */
import type { PushContent } from '../../../../src/modules/push/messages/reading/schema.ts'
import styles from './push.module.css'

type Props = {
  app: string
  content: Pick<PushContent, 'title' | 'body' | 'image'>
}

export function Preview({ app, content }: Props) {
  const isShown = content.title !== undefined || content.body !== undefined
  return (
    <div class={styles['preview']}>
      <div class={styles['phone']}>
        <h3>Android</h3>
        {isShown ? <Android app={app} content={content} /> : <Silent />}
      </div>
      <div class={styles['phone']}>
        <h3>iOS</h3>
        {isShown ? <Apple app={app} content={content} /> : <Silent />}
      </div>
    </div>
  )
}

const Silent = () => <p class={styles['silent']}>Nothing is shown: it only reaches the app.</p>

/** The first character as people see one, however many codes it has. */
function firstOf(name: string): string {
  const [first] = new Intl.Segmenter().segment(name)
  return first?.segment.toUpperCase() ?? ''
}

const Icon = ({ app }: { app: string }) => (
  <span class={styles['icon']} aria-hidden="true">
    {firstOf(app)}
  </span>
)

/** Pages load nothing from elsewhere, so a picture is only a place. */
const Picture = () => <span class={styles['picture']}>image</span>

const Android = ({ app, content: { title, body, image } }: Props) => (
  <div class={`${styles['card']} ${styles['android']}`}>
    <Icon app={app} />
    <div>
      <div class={styles['app-line']}>
        <span class={styles['app-name']} dir="auto">
          {app}
        </span>
        <span>· now</span>
      </div>
      {title !== undefined && (
        <div class={styles['shown-title']} dir="auto">
          {title}
        </div>
      )}
      {body !== undefined && (
        <div class={styles['shown-body']} dir="auto">
          {body}
        </div>
      )}
    </div>
    {image !== undefined && <Picture />}
  </div>
)

const Apple = ({ app, content: { title, body, image } }: Props) => (
  <div class={`${styles['card']} ${styles['ios']}`}>
    <Icon app={app} />
    <div>
      <div class={styles['app-line']}>
        <span class={styles['app-name']} dir="auto">
          {title === undefined ? app : ''}
        </span>
        <span>now</span>
      </div>
      {title !== undefined && (
        <div class={styles['shown-title']} dir="auto">
          {title}
        </div>
      )}
      {body !== undefined && (
        <div class={styles['shown-body']} dir="auto">
          {body}
        </div>
      )}
    </div>
    {image !== undefined && <Picture />}
  </div>
)
