import { useSite } from '../site/site.store.ts'
import { useFrameText } from './frame.text.ts'

/** The agreements and the record numbers that Chinese law wants linked; only what the site has. */
export function SiteFooter() {
  const text = useFrameText()
  const { name, agreements, icp, police } = useSite()
  return (
    <footer className="foot">
      <span>
        © {new Date().getFullYear()} {name}
      </span>
      {agreements && <Outside to={agreements.terms}>{text.footer.terms}</Outside>}
      {agreements && <Outside to={agreements.privacy}>{text.footer.privacy}</Outside>}
      {icp && <Outside to="https://beian.miit.gov.cn/">{icp}</Outside>}
      {police && <Outside to="https://beian.mps.gov.cn/">{police}</Outside>}
    </footer>
  )
}

function Outside({ to, children }: { to: string; children: string }) {
  return (
    <a href={to} target="_blank" rel="noreferrer">
      {children}
    </a>
  )
}
