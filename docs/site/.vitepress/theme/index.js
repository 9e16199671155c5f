export { default } from 'vitepress/theme-without-fonts'
import './tables.css'
