mod recall;
