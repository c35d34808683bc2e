import DefaultTheme from 'vitepress/theme-without-fonts';
import { fillAddress } from './address.mjs';
import { chooseSameTabs } from './same-tabs.mjs';
import { searchOptions } from './search.mjs';
import TryIt from './TryIt.vue';
import './style.css';

export default {
  extends: DefaultTheme,
  setup: fillAddress,
  enhanceApp({ app, siteData }) {
    app.component('TryIt', TryIt);
    siteData.value.themeConfig.search.options.miniSearch = { searchOptions };
    if (!import.meta.env.SSR) chooseSameTabs();
  },
};
