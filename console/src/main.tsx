import { render } from 'preact'
import { App } from './app.tsx'
import { createSession } from './session/session.ts'
import './styles/tokens.css'
import './styles/base.css'
import './styles/kit.css'
import './styles/cards.css'

const root = document.getElementById('app')
if (root) render(<App session={createSession(window)} />, root)
