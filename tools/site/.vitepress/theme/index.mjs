import DefaultTheme from 'vitepress/theme-without-fonts';
import { chooseSameTabs } from './same-tabs.mjs';
import './style.css';

export default {
  extends: DefaultTheme,
  enhanceApp() {
    if (!import.meta.env.SSR) chooseSameTabs();
  },
};
