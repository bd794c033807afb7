/** Error boundary of a page: the menu stays usable, and the next page starts fresh. */
import { Component, type ComponentChildren } from 'preact'
import { Button } from '../components/button.tsx'

type Props = { path: string; children: ComponentChildren }
type State = { error: unknown; path: string }

export class PageBoundary extends Component<Props, State> {
  override state: State = { error: undefined, path: this.props.path }

  static override getDerivedStateFromProps({ path }: Props, state: State): Partial<State> | null {
    return path === state.path ? null : { error: undefined, path }
  }

  override componentDidCatch(error: unknown): void {
    console.error(error)
    this.setState({ error })
  }

  override render() {
    if (this.state.error === undefined) return this.props.children
    return (
      <div class="state state-failed" role="alert">
        <p>
          <strong>Something went wrong on this page</strong>
        </p>
        <p>
          A new version may have been installed. Reload the page; if the error remains, the
          browser’s developer console has the details.
        </p>
        <Button onClick={() => window.location.reload()}>Reload</Button>
      </div>
    )
  }
}
